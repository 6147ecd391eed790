//! The order in which hunks are shown over all pages.
//!
//! Files are ordered by rank ([`super::rank::Rank`]), noise last. The first page shows some of each
//! file, in rounds: first the first hunks, then more of each file, doubling the bytes in each
//! round. Within a round, the file with the largest change is first. From the second page on, the
//! rest follows file by file, so that the head of a file is repeated only where a page ends within
//! it.

use std::cmp::Reverse;

use super::file::File;
use redline_base::budget::{Copied, Gather, Grow, Joined};
use redline_base::limits;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OrderedPiece {
    pub file: usize,
    pub piece: usize,
}

/// Returns all pieces in the order of the first page.
pub(super) fn first_page(files: &[File]) -> Vec<OrderedPiece> {
    let mut order = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let (class, whole) = (file.class(), file.patch.bytes());
        let mut level = 0;
        for (piece, measure) in file.patch.pieces.iter().enumerate() {
            level += measure.bytes;
            let is_first = piece == 0 && measure.bytes <= limits::REVIEW_FIRST_HUNK_BYTES;
            let round = if is_first { 0 } else { round(level) };
            let place = OrderedPiece { file: index, piece };
            order.add((class, round, Reverse(whole), place));
        }
    }
    order.sort_unstable();
    order.into_iter().map(|(.., place)| place).gather()
}

/// Returns the round that shows a file up to `level` bytes.
fn round(level: usize) -> u32 {
    1 + (level / limits::REVIEW_ROUND_BYTES).checked_ilog2().map_or(0, |rounds| rounds + 1)
}

/// Returns the order of all pages, given that the first page showed the first `shown` pieces of its
/// order.
pub(super) fn after(first_page: &[OrderedPiece], shown: usize) -> Vec<OrderedPiece> {
    let (first, rest) = first_page.split_at(shown.min(first_page.len()));
    let mut rest = rest.copied_vec();
    rest.sort_unstable();
    [first, &rest].chained()
}
