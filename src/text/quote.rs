//! Paths as git prints them.

use redline_base::budget::{Grow, GrowBy};
use std::borrow::Cow;

/// Returns `path` as git prints it in a header: in double quotes with C escapes if it has a control
/// character, a quote, a backslash, or, while `quote_high` is set (git's default `core.quotePath`),
/// a byte of 0x80 or more; else unchanged.
pub fn quoted_path(path: &[u8], quote_high: bool) -> Cow<'_, [u8]> {
    let special = |byte: u8| {
        byte < 0x20 || byte == 0x7f || byte == b'"' || byte == b'\\' || (quote_high && byte >= 0x80)
    };
    if !path.iter().any(|&byte| special(byte)) {
        return Cow::Borrowed(path);
    }
    let mut out = vec![b'"'];
    for &byte in path {
        match byte {
            0x07 => out.add_slice(b"\\a"),
            0x08 => out.add_slice(b"\\b"),
            b'\t' => out.add_slice(b"\\t"),
            b'\n' => out.add_slice(b"\\n"),
            0x0b => out.add_slice(b"\\v"),
            0x0c => out.add_slice(b"\\f"),
            b'\r' => out.add_slice(b"\\r"),
            b'"' => out.add_slice(b"\\\""),
            b'\\' => out.add_slice(b"\\\\"),
            byte if special(byte) => out.add_all(format!("\\{byte:03o}").into_bytes()),
            byte => out.add(byte),
        }
    }
    out.add(b'"');
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_as_git_quotes_it() {
        for (path, quoted) in [
            (&b"plain"[..], &b"plain"[..]),
            (b"with space", b"with space"),
            (b"a/tab\tx", b"\"a/tab\\tx\""),
            (b"q\"b\\n\n", b"\"q\\\"b\\\\n\\n\""),
            (b"\x01\x7f", b"\"\\001\\177\""),
            (b"caf\xe9", b"\"caf\\351\""),
        ] {
            assert_eq!(quoted_path(path, true).as_ref(), quoted);
        }
        assert_eq!(quoted_path("é".as_bytes(), false).as_ref(), "é".as_bytes());
    }
}
