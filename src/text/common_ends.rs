//! The common prefix and suffix of two byte strings.

use super::cancel_token::{CancelToken, PacedToken, STRIDE, Stopped};

/// Sizes of blocks that are compared as a whole, large ones until they differ, then smaller ones.
const BLOCKS: [usize; 2] = [512, 8];

/// The whole lines that are a common prefix and suffix of two texts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommonEnds {
    /// Bytes of the prefix.
    pub(super) start: usize,
    /// Bytes of the suffix, which does not overlap the prefix.
    pub(super) end: usize,
}

impl CommonEnds {
    /// Finds the longest prefix and suffix.
    pub(super) fn of(old: &[u8], new: &[u8], cancel: &CancelToken<'_>) -> Result<Self, Stopped> {
        cancel.check()?;
        let mut pace = cancel.pace();
        let start = common_start(old, new, &mut pace)?;
        // Back to the start of the first line that differs.
        let start =
            old[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let (old, new) = (&old[start..], &new[start..]);
        let end = common_end(old, new, &mut pace)?;
        let starts_line = |text: &[u8]| text.len() == end || text[text.len() - end - 1] == b'\n';
        let end = if starts_line(old) && starts_line(new) {
            end
        } else {
            // On to the start of the first whole common line.
            let newline = old[old.len() - end..].iter().position(|&byte| byte == b'\n');
            newline.map_or(0, |newline| end - newline - 1)
        };
        Ok(Self { start, end })
    }

    /// Returns the part of a text between prefix and suffix.
    pub(super) fn between<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start..text.len() - self.end]
    }
}

/// Returns the length of the common prefix.
pub fn common_start(old: &[u8], new: &[u8], pace: &mut PacedToken<'_>) -> Result<usize, Stopped> {
    let mut equal = 0;
    for (old, new) in old.chunks(STRIDE).zip(new.chunks(STRIDE)) {
        pace.pass(old.len())?;
        let mut at = 0;
        for block in BLOCKS {
            let (old, new) = (old[at..].chunks_exact(block), new[at..].chunks_exact(block));
            at += block * old.zip(new).take_while(|(old, new)| old == new).count();
        }
        at += old[at..].iter().zip(&new[at..]).take_while(|(old, new)| old == new).count();
        equal += at;
        if at < old.len() {
            break;
        }
    }
    Ok(equal)
}

/// Returns the length of the common suffix.
pub(super) fn common_end(
    old: &[u8],
    new: &[u8],
    pace: &mut PacedToken<'_>,
) -> Result<usize, Stopped> {
    let mut equal = 0;
    for (old, new) in old.rchunks(STRIDE).zip(new.rchunks(STRIDE)) {
        pace.pass(old.len())?;
        let mut at = 0;
        for block in BLOCKS {
            let (old, new) = (&old[..old.len() - at], &new[..new.len() - at]);
            let (old, new) = (old.rchunks_exact(block), new.rchunks_exact(block));
            at += block * old.zip(new).take_while(|(old, new)| old == new).count();
        }
        let (old_rest, new_rest) = (&old[..old.len() - at], &new[..new.len() - at]);
        at += old_rest
            .iter()
            .rev()
            .zip(new_rest.iter().rev())
            .take_while(|(old, new)| old == new)
            .count();
        equal += at;
        if at < old.len() {
            break;
        }
    }
    Ok(equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CancelToken;

    #[test]
    fn common_ends_stop_at_the_first_byte_that_differs() {
        let mut pace = CancelToken::never().pace();
        for length in [0, 1, 7, 8, 9, 511, 512, 513, 1100, STRIDE - 1, STRIDE, STRIDE + 9] {
            let text = vec![b'x'; length];
            assert_eq!(common_start(&text, &text, &mut pace), Ok(length));
            assert_eq!(common_end(&text, &text, &mut pace), Ok(length));
            for at in [0, 1, 8, 500, 512, 1000, STRIDE - 1, STRIDE, STRIDE + 3]
                .into_iter()
                .filter(|at| *at < length)
            {
                let mut other = text.clone();
                other[at] = b'y';
                assert_eq!(common_start(&text, &other, &mut pace), Ok(at), "{length}");
                assert_eq!(common_end(&text, &other, &mut pace), Ok(length - at - 1), "{length}");
                assert_eq!(common_start(&text, &text[..at], &mut pace), Ok(at));
                assert_eq!(common_end(&text[..at], &text, &mut pace), Ok(at));
            }
        }
    }
}
