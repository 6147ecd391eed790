//! The style and the script of a page, and the policy that allows nothing else.

use redline_base::budget::Grow;
use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The style of the page, of which a part is that of the Python package's pages, too.
pub(super) const STYLE: &str =
    concat!(include_str!("../../../python/duckdb_redline/colours.css"), include_str!("page.css"));
/// The script of the page.
pub(super) const SCRIPT: &str = concat!(include_str!("syntax.js"), include_str!("page.js"));

/// The content security policy of the page.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(STYLE)),
        base64(&Sha256::digest(SCRIPT))
    )
});

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns bytes in base64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let is_there = at <= group.len();
            let letter = LETTERS[(bits >> (18 - 6 * at) & 63) as usize];
            text.add(if is_there { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text, "{bytes}");
        }
    }

    #[test]
    fn neither_style_nor_script_ends_its_element() {
        for text in [STYLE, SCRIPT] {
            let text = text.to_lowercase();
            assert!(!text.contains("</") && !text.contains("<!--"), "{text:.80}");
        }
    }
}
