//! What a text costs in an answer.

/// How an answer carries its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As text, each part once.
    Text,
    /// As JSON, in whose text everything stands and, beside it, the patch once more.
    Json,
}

impl Form {
    /// Returns the bytes of a part that stands in the text.
    pub fn text(self, part: &str) -> usize {
        match self {
            Self::Text => part.len(),
            Self::Json => escaped(part),
        }
    }

    /// Returns the bytes of a part of the patch.
    pub fn patch(self, part: &str) -> usize {
        match self {
            Self::Text => part.len(),
            Self::Json => 2 * escaped(part),
        }
    }

    /// Returns the longest beginning of a part of the patch, up to a border of characters, that costs
    /// no more than `room`.
    pub fn fitting(self, part: &str, room: usize) -> &str {
        let mut left = room;
        for (at, c) in part.char_indices() {
            let cost = self.patch(c.encode_utf8(&mut [0; 4]));
            if cost > left {
                return &part[..at];
            }
            left -= cost;
        }
        part
    }
}

/// Returns the bytes of a text between the quotes of a JSON string.
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
            for room in 0..=form.patch(text) {
                let part = form.fitting(text, room);
                let next = text[part.len()..].chars().next().map_or(0, char::len_utf8);
                assert!(form.patch(part) <= room);
                assert!(next == 0 || form.patch(&text[..part.len() + next]) > room);
            }
            assert_eq!(form.fitting(text, form.patch(text)), text);
        }
    }
}
