//! The order in which hunks are shown over all pages.
//!
//! The first page is fair: hunks stand there by the bytes of their file up to the hunk's end, so that
//! it fills all files to the same level, as water fills vessels. From the second page on, what is left
//! comes file by file, so that the head of a file is repeated only where a page ends within the file.
//! Files that come last do so in both.

use super::file::File;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OrderedPiece {
    pub file: usize,
    pub piece: usize,
}

/// Returns all pieces in the fair order of the first page.
pub(super) fn fair(files: &[File]) -> Vec<OrderedPiece> {
    let mut order = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut level = 0;
        for (piece, measure) in file.patch.pieces.iter().enumerate() {
            level += measure.bytes;
            order.push((file.noise.is_some(), level, OrderedPiece { file: index, piece }));
        }
    }
    order.sort();
    order.into_iter().map(|(_, _, place)| place).collect()
}

/// Returns the order of all pages when the first one showed the first `shown` pieces of the fair order.
pub(super) fn behind(fair: &[OrderedPiece], shown: usize) -> Vec<OrderedPiece> {
    let (first, rest) = fair.split_at(shown.min(fair.len()));
    let mut rest = rest.to_vec();
    rest.sort_unstable();
    [first, &rest].concat()
}
