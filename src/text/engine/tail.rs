//! Removes a common tail from a diff without context, as git does.
//!
//! Without context, git removes equal bytes at the ends of both sides before it splits lines, in
//! blocks of 1024 bytes, and then restores the rest of the line it cut into. The remaining lines
//! decide how far a change may slide and which lines are frequent, so hunks depend on it (`git diff
//! -U0` can differ from `-U3`).

use crate::cancel_token::{CancelToken, Stopped};

const BLOCK: usize = 1024;
/// Blocks that are compared between two checks of the budget.
const BLOCKS: usize = 1 << 10;

/// Returns the number of bytes at the end of both sides that are left out: whole, equal lines.
pub(super) fn common_tail(
    old: &[u8],
    new: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<usize, Stopped> {
    let mut equal = 0;
    for (number, (a, b)) in old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK)).enumerate() {
        if number % BLOCKS == 0 {
            cancel.check()?;
        }
        if a != b {
            break;
        }
        equal += BLOCK;
    }
    let mut begun = 0;
    for block in old[old.len() - equal..].chunks(BLOCK * BLOCKS) {
        cancel.check()?;
        if let Some(at) = block.iter().position(|&byte| byte == b'\n') {
            return Ok(equal - begun - at - 1);
        }
        begun += block.len();
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(old: &[u8], new: &[u8]) -> usize {
        common_tail(old, new, &CancelToken::never()).unwrap()
    }

    #[test]
    fn less_than_a_block_is_not_cut() {
        let text = b"a\n".repeat(511);
        assert_eq!(tail(&text, &text), 0);
    }

    #[test]
    fn the_line_a_block_begins_in_is_given_back() {
        let text = b"abc\n".repeat(300);
        assert_eq!(tail(&text, &text), 1024 - 4);
        assert_eq!(tail(&[b"xy".as_slice(), &text].concat(), &text), 1024 - 4);
    }

    #[test]
    fn blocks_without_a_newline_are_not_cut() {
        let text = vec![b'a'; 4096];
        assert_eq!(tail(&text, &text), 0);
    }
}
