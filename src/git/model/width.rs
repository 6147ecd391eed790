//! TABs in messages, as `git log` shows them.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// Columns from one TAB stop to the next.
const TAB_COLUMNS: usize = 8;

/// Returns a line whose TABs are blanks up to the next stop. Where the text before a TAB has no
/// width, for it is not UTF-8 or has control characters, the rest stays as it is.
pub fn expand_tabs(line: &[u8]) -> Cow<'_, [u8]> {
    let mut expanded = Vec::new();
    let mut rest = line;
    while let Some(at) = memchr::memchr(b'\t', rest) {
        let Some(width) = width(&rest[..at]) else { break };
        expanded.extend_from_slice(&rest[..at]);
        expanded.resize(expanded.len() + TAB_COLUMNS - width % TAB_COLUMNS, b' ');
        rest = &rest[at + 1..];
    }
    if expanded.is_empty() {
        return Cow::Borrowed(line);
    }
    expanded.extend_from_slice(rest);
    Cow::Owned(expanded)
}

fn width(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok()?;
    text.chars().map(UnicodeWidthChar::width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_is_blanks_up_to_the_next_stop() {
        for (line, expanded) in [
            ("", ""),
            ("a b", "a b"),
            ("\tx", "        x"),
            ("a\tb\tc", "a       b       c"),
            ("12345678\tx", "12345678        x"),
            ("\u{65e5}\tx", "\u{65e5}      x"),
            ("a\tb\x01\tc", "a       b\x01\tc"),
        ] {
            assert_eq!(expand_tabs(line.as_bytes()), expanded.as_bytes(), "{line:?}");
        }
    }
}
