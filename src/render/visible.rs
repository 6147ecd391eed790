//! Text for a terminal: piece by piece, each with its columns, and nothing invisible.
//!
//! The display can be read back: two lines that differ in a non-printing character, in trailing
//! whitespace or in a tab never look the same. So a text that holds the marks for such characters
//! has them escaped.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use unicode_width::UnicodeWidthChar;

use redline_base::budget::{Gather, Grow};
use redline_base::error::unseen;
use redline_edit::payload::NotUtf8;

/// Columns from one tab stop to the next.
const TAB: usize = 4;

/// The mark of a tab, padded to the next tab stop.
const TAB_MARK: char = '⇥';

/// The mark of a space in trailing whitespace.
const BLANK_MARK: char = '␣';

/// The mark of a carriage return that ends a line.
const RETURN_MARK: char = '␍';

/// The prefix of the number of a non-printing character: `<U+202E>`.
const NUMBER: &str = "<U+";

/// Combining marks on one character; further ones would be drawn over other lines.
const MAX_MARKS: usize = 4;

/// The class of a piece, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A character as it is, with its combining marks.
    Plain,
    /// The mark of a space, a tab or a line ending, or the number of a character that is such a
    /// mark.
    Mark,
    /// The number of a character that would be invisible or change how others are shown.
    Hidden,
}

impl Kind {
    /// Returns the name that SQL shows.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Mark => "mark",
            Self::Hidden => "number",
        }
    }
}

/// What else is known of a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notes<'a> {
    /// The places of spaces that matter, which are marked, in order.
    pub blanks: &'a [Range<usize>],
    /// The bytes that are not UTF-8 of the text that has the line.
    pub not_utf8: &'a [NotUtf8],
    /// The start of the line in that text.
    pub start: usize,
    /// Whether a tab before the trailing whitespace stays a tab, so that lines can be copied.
    pub keeps_tabs: bool,
}

/// Returns the spaces of a name that a reader would overlook: those beside another one, at its
/// start and at its end.
pub fn blanks_of_name(name: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    for part in name.split_inclusive(|c| c != ' ') {
        let spaces = part.bytes().take_while(|byte| *byte == b' ').count();
        if spaces > 1 || spaces == 1 && (at == 0 || at + spaces == name.len()) {
            found.add(at..at + spaces);
        }
        at += part.len();
    }
    found
}

/// A unit that a terminal draws as one.
#[derive(Debug)]
pub struct Piece<'a> {
    /// The text to print: no control, bidi or zero-width character, except marks on a letter.
    pub text: Cow<'a, str>,
    /// Its width in columns, at least 1.
    pub columns: usize,
    /// Its offset in the line, in bytes.
    pub start: usize,
    /// Its class.
    pub kind: Kind,
}

/// The pieces of one line.
pub struct Pieces<'a> {
    line: &'a str,
    at: usize,
    column: usize,
    /// Where the trailing whitespace begins.
    tail: usize,
    notes: Notes<'a>,
}

impl<'a> Pieces<'a> {
    /// Returns the pieces of a line without its line feed.
    pub fn of(line: &'a str) -> Self {
        Self::with(line, Notes::default())
    }

    /// Returns the pieces of a line of which more is known.
    pub fn with(line: &'a str, notes: Notes<'a>) -> Self {
        let tail = line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']).len();
        Self { line, at: 0, column: 0, tail, notes }
    }

    /// Tells whether the space at a place is one that matters.
    fn is_blank(&self, at: usize) -> bool {
        let next = self.notes.blanks.partition_point(|range| range.end <= at);
        at >= self.tail || self.notes.blanks.get(next).is_some_and(|range| range.contains(&at))
    }

    /// Returns the bytes that are not UTF-8 at a place, as they are shown.
    fn bytes(&self, at: usize) -> Option<String> {
        let at = (self.notes.start + at) as u64;
        let found = self.notes.not_utf8.binary_search_by_key(&at, |one| one.at).ok()?;
        let hex = &self.notes.not_utf8[found].hex;
        Some((0..hex.len() / 2).map(|byte| format!("<{}>", &hex[2 * byte..2 * byte + 2])).gather())
    }

    /// Returns the length in bytes of a printable character with its marks, and its columns.
    fn plain(&self, first: char) -> Option<(usize, usize)> {
        let rest = &self.line[self.at..];
        let is_reserved = matches!(first, TAB_MARK | BLANK_MARK | RETURN_MARK) || is_number(rest);
        let columns = columns(first).filter(|columns| *columns > 0 && !is_reserved)?;
        let marks = rest[first.len_utf8()..]
            .chars()
            .take_while(|c| self::columns(*c) == Some(0))
            .take(MAX_MARKS);
        Some((first.len_utf8() + marks.map(char::len_utf8).sum::<usize>(), columns))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let first = self.line[self.at..].chars().next()?;
        let start = self.at;
        let tab = TAB - self.column % TAB;
        if first == '\t' && self.notes.keeps_tabs && start < self.tail {
            self.at += 1;
            self.column += tab;
            return Some(Piece { text: "\t".into(), columns: tab, start, kind: Kind::Plain });
        }
        let mark = match first {
            '\t' => Some((TAB_MARK, tab)),
            ' ' if self.is_blank(start) => Some((BLANK_MARK, 1)),
            '\r' if start + 1 == self.line.len() => Some((RETURN_MARK, 1)),
            _ => None,
        };
        let piece = if let Some((mark, columns)) = mark {
            self.at += 1;
            Piece { text: format!("{mark:<columns$}").into(), columns, start, kind: Kind::Mark }
        } else if let Some(bytes) =
            (first == char::REPLACEMENT_CHARACTER).then(|| self.bytes(start)).flatten()
        {
            self.at += first.len_utf8();
            Piece { columns: bytes.len(), text: bytes.into(), start, kind: Kind::Hidden }
        } else if let Some((bytes, columns)) = self.plain(first) {
            self.at += bytes;
            Piece { text: self.line[start..self.at].into(), columns, start, kind: Kind::Plain }
        } else {
            self.at += first.len_utf8();
            let text = format!("{NUMBER}{:04X}>", u32::from(first));
            // These are visible themselves; they are escaped to be told from our marks.
            let kind = if columns(first).is_some_and(|columns| columns > 0) {
                Kind::Mark
            } else {
                Kind::Hidden
            };
            Piece { columns: text.len(), text: text.into(), start, kind }
        };
        self.column += piece.columns;
        Some(piece)
    }
}

/// Counts the invisible characters of a line.
pub fn hidden(line: &str) -> usize {
    Pieces::of(line).filter(|piece| piece.kind == Kind::Hidden).count()
}

/// Tells whether a text begins as the number of a character, or as that of a byte: `<E9>`.
fn is_number(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F');
    text.starts_with(NUMBER)
        || matches!(text.as_bytes(), [b'<', one, two, b'>', ..] if is_digit(one) && is_digit(two))
}

/// Returns the columns of a character, 0 for a combining mark; `None` for a non-printing one.
///
/// Characters are measured one by one, as terminals do: a sequence that Unicode counts narrower (a
/// flag, a face with a skin colour, an Arabic ligature) is never measured too narrow.
fn columns(c: char) -> Option<usize> {
    if is_unseen(c) { None } else { c.width() }
}

/// Tells whether a character is not seen as itself, for a reason of [`unseen`] or by its general
/// category (Unicode Standard Annex 44). `visible.py` of the Python package has the same rule.
fn is_unseen(c: char) -> bool {
    unseen(c).is_some() || (c > '~' && NO_SIGN.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Format, private-use and unassigned characters, which look different on different systems.
static NO_SIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\p{Cf}\p{Co}\p{Cn}]").expect("three general categories of Unicode")
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &str) -> String {
        Pieces::of(line).map(|piece| piece.text).collect()
    }

    /// Reads back a displayed line, which is possible only if nothing of it is lost.
    fn read_back(mut shown: &str) -> String {
        let (mut line, mut column) = (String::new(), 0);
        while let Some(first) = shown.chars().next() {
            let (c, bytes, columns) = if let Some(number) = shown.strip_prefix(NUMBER) {
                let digits = number.find('>').expect("an end of the number");
                let value = u32::from_str_radix(&number[..digits], 16).expect("a number");
                let bytes = NUMBER.len() + digits + 1;
                (char::from_u32(value).expect("a character"), bytes, bytes)
            } else {
                match first {
                    TAB_MARK => {
                        ('\t', TAB_MARK.len_utf8() + TAB - column % TAB - 1, TAB - column % TAB)
                    }
                    BLANK_MARK => (' ', BLANK_MARK.len_utf8(), 1),
                    RETURN_MARK => ('\r', RETURN_MARK.len_utf8(), 1),
                    _ => (first, first.len_utf8(), first.width().expect("what is shown prints")),
                }
            };
            line.push(c);
            column += columns;
            shown = &shown[bytes..];
        }
        line
    }

    #[test]
    fn a_character_that_hides_itself_or_others_is_made_visible() {
        for (line, expected) in [
            ("", ""),
            ("plain text", "plain text"),
            ("\x1b[31mred\x07", "<U+001B>[31mred<U+0007>"),
            ("a\u{9b}31m", "a<U+009B>31m"),
            ("a\nb\u{2028}c", "a<U+000A>b<U+2028>c"),
            ("user\u{202e}nimda\u{2066}", "user<U+202E>nimda<U+2066>"),
            ("pass\u{200b}word\u{ad}", "pass<U+200B>word<U+00AD>"),
            ("\u{feff}a\u{a0}b\u{3000}", "<U+FEFF>a<U+00A0>b<U+3000>"),
            ("x\u{3164}y\u{2800}z\u{e0041}", "x<U+3164>y<U+2800>z<U+E0041>"),
            ("\u{e000}\u{10ffff}", "<U+E000><U+10FFFF>"),
            ("👩\u{200d}👩 ❤\u{fe0f}", "👩<U+200D>👩 ❤<U+FE0F>"),
            // Line endings and whitespace at the end.
            ("a\r", "a␍"),
            ("a\rb", "a<U+000D>b"),
            ("a b  ", "a b␣␣"),
            ("a \t\r", "a␣⇥ ␍"),
            ("   ", "␣␣␣"),
            ("\tab\tc", "⇥   ab⇥ c"),
            // The marks themselves.
            ("⇥ ␣ ␍ <U+202E> <u+1>", "<U+21E5> <U+2423> <U+240D> <U+003C>U+202E> <u+1>"),
            // Marks on letters, on nothing, and too many of them.
            ("e\u{301}o\u{302}\u{323}", "e\u{301}o\u{302}\u{323}"),
            ("\u{301}e", "<U+0301>e"),
            ("\t\u{301}", "⇥   <U+0301>"),
            (
                "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}b",
                "a\u{301}\u{302}\u{303}\u{304}<U+0305><U+0306>b",
            ),
        ] {
            assert_eq!(shown(line), expected, "{line:?}");
        }
    }

    #[test]
    fn wide_characters_and_marks_are_measured_in_columns() {
        let columns = |line| Pieces::of(line).map(|piece| piece.columns).sum::<usize>();
        for (line, expected) in [
            ("abc", 3),
            ("日本語", 6),
            ("e\u{301}", 1),
            ("한글", 4),
            ("\u{1112}\u{1161}\u{11ab}", 2),
            ("👍", 2),
            ("🇩🇪", 2),
            ("\tx", 5),
            ("日\tx", 5),
            ("\u{200b}", 8),
        ] {
            assert_eq!(columns(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_warning_counts_unseen_characters() {
        for (text, expected) in [
            ("", 0),
            ("tabs\tand blanks \r", 0),
            ("⇥ ␣ <U+202E>", 0),
            ("e\u{301} 日本", 0),
            ("a\u{202e}\nb\u{200b}\u{200b}\x1b", 5),
            ("a\rb", 1),
        ] {
            assert_eq!(hidden(text), expected, "{text:?}");
        }
    }

    proptest! {
        // Promise (display): Two lines that differ in a non-printing character, in trailing
        // whitespace or in tabs look different: what is shown can be read back.
        #[test]
        fn no_two_lines_look_the_same(line in "([ \t\r<U+3>⇥␣␍e日\u{301}\u{200d}\u{202e}\x1b]|\\PC|.){0,24}") {
            prop_assert_eq!(read_back(&shown(&line)), line);
        }

        #[test]
        fn no_unseen_character_reaches_the_terminal(line in any::<String>()) {
            for piece in Pieces::of(&line) {
                prop_assert!(piece.columns > 0);
                prop_assert!(!piece.text.contains(is_unseen), "{:?}", piece);
                prop_assert_eq!(piece.text.chars().filter_map(UnicodeWidthChar::width).sum::<usize>(), piece.columns);
            }
        }
    }
}
