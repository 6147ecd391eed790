//! Bitmaps in git's EWAH compression, as a split index contains them.
//!
//! Source: git's `gitformat-bitmap`, appendix A. A bitmap is a sequence of groups: a header word
//! with the numbers of words of equal bits and of plain words, then the plain words.

use crate::model::big_endian;
use redline_base::budget::{Gather, Grow};

/// A bitmap as it is stored.
#[derive(Debug, Default)]
pub struct Bitmap(Vec<u64>);

const BITS: usize = 64;

/// Parses a bitmap at the front of some bytes, and returns the rest.
pub fn read(bytes: &[u8]) -> Option<(Bitmap, &[u8])> {
    // The number of bits, then that of words.
    let (head, rest) = bytes.split_at_checked(8)?;
    let count = big_endian(&head[4..]) as usize;
    let (words, rest) = rest.split_at_checked(count.checked_mul(8)?)?;
    let (last_group, rest) = rest.split_at_checked(4)?;
    if big_endian(last_group) as usize >= count.max(1) {
        return None;
    }
    Some((Bitmap(words.chunks_exact(8).map(big_endian).gather()), rest))
}

impl Bitmap {
    /// Returns the set bits among `length`, `None` if a bit beyond is set or the bitmap is
    /// truncated.
    pub fn set(&self, length: usize) -> Option<Vec<usize>> {
        let mut set = Vec::new();
        let mut at = 0_usize;
        let mut words = self.0.iter();
        while let Some(&group) = words.next() {
            let run = usize::try_from(group >> 1 & u64::from(u32::MAX)).ok()?.checked_mul(BITS)?;
            let end = at.checked_add(run)?;
            if group & 1 != 0 {
                if end > length {
                    return None;
                }
                set.add_all(at..end);
            }
            at = end;
            for _ in 0..group >> 33 {
                let word = *words.next()?;
                let bits = (0..BITS).filter(|bit| word >> bit & 1 != 0);
                for bit in bits {
                    let position = at.checked_add(bit).filter(|&position| position < length)?;
                    set.add(position);
                }
                at = at.checked_add(BITS)?;
            }
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(words: &[u64]) -> Vec<u8> {
        let count = u32::try_from(words.len()).unwrap();
        let mut bytes = [&64_u32.to_be_bytes()[..], &count.to_be_bytes()].concat();
        bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        bytes.extend(0_u32.to_be_bytes());
        bytes
    }

    /// Returns the header of a group of `run` words of one bit and `plain` words that follow.
    fn group(bit: u64, run: u64, plain: u64) -> u64 {
        bit | run << 1 | plain << 33
    }

    #[test]
    fn bits_are_found_where_they_are_set() {
        for (words, length, set) in [
            (vec![], 10, Some(vec![])),
            (vec![group(0, 0, 1), 0b1001], 10, Some(vec![0, 3])),
            (vec![group(0, 0, 1), 0b1001], 3, None),
            (vec![group(0, 2, 1), 1], 200, Some(vec![128])),
            (vec![group(1, 1, 0)], 64, Some((0..64).collect())),
            (vec![group(1, 1, 0)], 63, None),
            (vec![group(1, 0xFFFF_FFFF, 0)], 64, None),
            (vec![group(0, 0xFFFF_FFFF, 0); 4], 64, Some(vec![])),
            (vec![group(0, 0, 2), 1], 64, None),
            (vec![group(0, 0, 0x7FFF_FFFF)], 64, None),
        ] {
            let bytes = stored(&words);
            let (bitmap, rest) = read(&bytes).unwrap();
            assert!(rest.is_empty());
            assert_eq!(bitmap.set(length), set, "{words:x?} {length}");
        }
    }

    #[test]
    fn refuses_a_bitmap_that_is_cut() {
        let bytes = stored(&[group(0, 0, 1), 1]);
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_none(), "{end}");
        }
    }
}
