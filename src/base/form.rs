//! The cost of a text in an answer, in bytes; how an answer says that there is more, or how many;
//! hexadecimal digits; and the line of a trailer.

/// How an answer carries its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As plain text.
    Text,
    /// Within a JSON string.
    Json,
}

impl Form {
    /// Returns the cost of a text.
    pub fn cost(self, text: &str) -> usize {
        match self {
            Self::Text => text.len(),
            Self::Json => escaped(text),
        }
    }

    /// Returns the longest prefix of a text, up to a character boundary, whose cost is at most
    /// `room`.
    pub fn fitting(self, text: &str, room: usize) -> &str {
        let mut left = room;
        for (at, c) in text.char_indices() {
            let cost = self.cost(c.encode_utf8(&mut [0; 4]));
            if cost > left {
                return &text[..at];
            }
            left -= cost;
        }
        text
    }
}

/// Returns key and value of a trailer of a commit's message, `Key: value` on one line; a key has
/// letters, digits and `-`.
pub fn trailer(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let value = value.trim();
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_line = !text.contains(char::is_control) && !value.is_empty();
    (is_key && is_line).then_some((key, value))
}

/// Returns the words with which every answer says that there is more.
pub fn more(cursor: &str) -> String {
    format!("[more: call again with cursor {cursor}]")
}

/// Returns a number of things, with the plural of their noun; what follows it in brackets stays
/// there.
pub fn counted(count: u64, noun: &str) -> String {
    match noun.split_once('(') {
        _ if count == 1 => format!("1 {noun}"),
        Some((word, sign)) => format!("{count} {word}s({sign}"),
        None => format!("{count} {noun}s"),
    }
}

/// Returns the hexadecimal digits of bytes.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the bytes of hexadecimal digits of either case; `None` if there are not exactly `N`.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let digit = |at: usize| char::from(text.as_bytes()[at]).to_digit(16);
    let byte = |at: usize| Some((digit(2 * at)? * 16 + digit(2 * at + 1)?) as u8);
    let bytes: Option<Vec<u8>> = (0..N).map(byte).collect();
    bytes?.try_into().ok()
}

/// Returns the length of a text in a JSON string, without the quotes.
fn escaped(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
        0..0x20 => 5,
        _ => 0,
    };
    text.len() + text.bytes().map(more).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_costs_what_serde_json_makes_of_it() {
        let all: String =
            (0..0x250).filter_map(char::from_u32).chain(['\u{2028}', '\u{1f600}', '"']).collect();
        for text in [&all[..], "", "plain", "\"\\\u{0}\u{7f}\n"] {
            assert_eq!(escaped(text) + 2, serde_json::to_string(text).unwrap().len(), "{text:?}");
        }
    }

    #[test]
    fn a_beginning_fills_its_room_and_ends_between_characters() {
        for form in [Form::Text, Form::Json] {
            let text = "a\u{e4}\n\u{1f600}\u{1}\"b";
            for room in 0..=form.cost(text) {
                let part = form.fitting(text, room);
                let next = text[part.len()..].chars().next().map_or(0, char::len_utf8);
                assert!(form.cost(part) <= room);
                assert!(next == 0 || form.cost(&text[..part.len() + next]) > room);
            }
            assert_eq!(form.fitting(text, form.cost(text)), text);
        }
    }
}
