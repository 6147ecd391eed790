//! Telling binary contents from text as git does.

use super::quoted_path;
use redline_base::budget::Joined;

/// Bytes from the start that are searched for a NUL, as in git.
const LOOKED_AT: usize = 8000;

/// Tells whether git calls `bytes` binary if no attribute decides: a NUL among the first 8,000
/// bytes.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOKED_AT)].contains(&0)
}

/// Returns git's line for binary contents that differ, without its newline; `quote_high` as for
/// [`quoted_path`].
pub fn binary_line(old: &[u8], new: &[u8], quote_high: bool) -> Vec<u8> {
    let [old, new] = [old, new].map(|label| quoted_path(label, quote_high));
    [b"Binary files ", &old[..], b" and ", &new, b" differ"].chained()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_after_the_first_8000_bytes_is_text() {
        let mut bytes = vec![b'x'; 9000];
        assert!(!is_binary(&bytes));
        bytes[8000] = 0;
        assert!(!is_binary(&bytes));
        bytes[7999] = 0;
        assert!(is_binary(&bytes));
        assert!(is_binary(b"\0"));
        assert!(!is_binary(b""));
    }
}
