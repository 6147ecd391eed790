//! Folds texts for a loose comparison: ignores whitespace, line endings, escapes, case and
//! confusable characters, which people and models get wrong while they copy.

use redline_base::budget::{Grow, room_for};
use std::ops::Range;

use redline_text::CancelToken;
use redline_text::cancel_token::{PacedToken, Stopped};
use unicode_normalization::char::decompose_compatible;

/// A folded text, with the origin of each character.
#[derive(Debug)]
pub struct Folded {
    /// The characters that remain.
    pub chars: Vec<char>,
    /// The byte at which the origin of each character starts.
    starts: Vec<u32>,
}

impl Folded {
    /// Folds a text of less than 4 GiB. Bytes that are not UTF-8 become U+FFFD, as in displayed
    /// texts.
    ///
    /// # Errors
    /// Those of the token.
    pub fn new(bytes: &[u8], cancel: &CancelToken<'_>) -> Result<Self, Stopped> {
        let mut pace = cancel.pace();
        let mut folded = Self { chars: room_for(bytes.len()), starts: room_for(bytes.len()) };
        let mut start = 0;
        for chunk in bytes.utf8_chunks() {
            folded.push_text(chunk.valid(), start, &mut pace)?;
            start += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                folded.push(char::REPLACEMENT_CHARACTER, start);
                start += chunk.invalid().len();
            }
        }
        Ok(folded)
    }

    fn push_text(
        &mut self,
        text: &str,
        base: usize,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            pace.spend(1)?;
            if c == '\\' {
                match chars.peek() {
                    Some((_, 'n' | 'r' | 't')) => {
                        chars.next();
                        continue;
                    }
                    Some((_, '"' | '\'' | '\\')) => continue,
                    _ => {}
                }
            }
            if c.is_ascii() {
                self.push(c.to_ascii_lowercase(), base + at);
            } else {
                each_look_alike(c, &mut |c| c.to_lowercase().for_each(|c| self.push(c, base + at)));
            }
        }
        Ok(())
    }

    fn push(&mut self, c: char, start: usize) {
        if !c.is_whitespace() {
            self.chars.add(c);
            self.starts.add(start as u32);
        }
    }

    /// Returns the bytes of `text`, the text before folding, that a non-empty range of characters
    /// came from.
    pub fn source(&self, text: &[u8], range: Range<usize>) -> Range<usize> {
        let [first, last] = [range.start, range.end - 1].map(|at| self.starts[at] as usize);
        let length = match text[last] {
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
            _ => 1,
        };
        // An invalid sequence may be shorter than its first byte announces.
        let follows = |byte: &&u8| (0x80..0xc0).contains(*byte);
        let tail = text[last + 1..].iter().take(length - 1).take_while(follows).count();
        first..last + 1 + tail
    }
}

/// Passes on each character that `c` may be mistaken for: compatibility forms are decomposed,
/// quotes, dashes and letters of other scripts become ASCII, and invisible characters yield none.
pub fn each_look_alike(c: char, emit: &mut impl FnMut(char)) {
    if c.is_ascii() {
        return emit(c);
    }
    match ascii_look_alike(c) {
        Some(ascii) => emit(ascii),
        None => decompose_compatible(c, |part| match part {
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{feff}' => {}
            part => emit(ascii_look_alike(part).unwrap_or(part)),
        }),
    }
}

/// Returns the ASCII character that looks like a character of another script or of typography.
fn ascii_look_alike(c: char) -> Option<char> {
    Some(match c {
        '\u{2018}'..='\u{201b}' | '′' | '´' | 'ʹ' | 'ʼ' => '\'',
        '\u{201c}'..='\u{201f}' | '″' | '〝' | '〞' => '"',
        '\u{2010}'..='\u{2015}' | '−' | '﹘' | '﹣' => '-',
        '⁄' | '∕' => '/',
        '∗' => '*',
        '∶' | '꞉' => ':',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'Υ' => 'Y',
        'Ζ' => 'Z',
        'а' => 'a',
        'с' => 'c',
        'е' => 'e',
        'і' => 'i',
        'ј' => 'j',
        'о' | 'ο' => 'o',
        'р' => 'p',
        'ѕ' => 's',
        'х' => 'x',
        'у' => 'y',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &[u8]) -> String {
        Folded::new(text, &CancelToken::never()).unwrap().chars.into_iter().collect()
    }

    #[test]
    fn common_copying_mistakes_are_folded_away() {
        for (text, left) in [
            ("  Foo(\ta )\r\n", "foo(a)"),
            ("\u{feff}“x”\u{a0}– ‘y’…", "\"x\"-'y'..."),
            (r#"a\nb\tc\"d\\e\d"#, "abc\"d\\e\\d"),
            ("ｆｕｌｌ　ﬁ", "fullfi"),
            ("café", "cafe\u{301}"),
            ("cafe\u{301}", "cafe\u{301}"),
            ("раypal", "paypal"),
            ("\\", "\\"),
            ("", ""),
        ] {
            assert_eq!(folded(text.as_bytes()), left, "{text:?}");
        }
        assert_eq!(folded(b"a\xe9\xe2\x82b"), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn the_source_of_a_folded_character_is_one_whole_character() {
        let text = "x \u{201c}é\u{1f600}ﬁ\\\"".as_bytes();
        let folded = Folded::new(text, &CancelToken::never()).unwrap();
        let sources: Vec<_> = (0..folded.chars.len())
            .map(|at| String::from_utf8(text[folded.source(text, at..at + 1)].to_vec()).unwrap())
            .collect();
        assert_eq!(sources, ["x", "\u{201c}", "é", "é", "\u{1f600}", "ﬁ", "ﬁ", "\""]);
        let broken = b"a\xe2\x82b\xf0";
        let folded = Folded::new(broken, &CancelToken::never()).unwrap();
        let sources: Vec<_> = (0..4).map(|at| folded.source(broken, at..at + 1)).collect();
        assert_eq!(sources, [0..1, 1..3, 3..4, 4..5]);
    }
}
