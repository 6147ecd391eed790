//! A changed file and its patch, cut into pieces that are shown whole.

use std::ops::Range;

use super::noise::Noise;
use super::rank::Rank;
use redline_base::budget::{Copied, Gather, Grow, Taken, text_of};
use redline_base::form::Form;

/// A changed file: its line in the list and the sizes of its patch.
#[derive(Debug, Clone)]
pub struct File {
    /// git's letter of the change: A, D, M, R, C, T, U.
    pub letter: char,
    /// The displayed path; both paths of a rename.
    pub name: String,
    /// Added and removed lines; `None` for a binary file.
    pub lines: Option<(u64, u64)>,
    /// Further notes in its line.
    pub notes: Vec<String>,
    /// The purpose of the file, which decides its order.
    pub rank: Rank,
    /// Why the file is listed last, if it is.
    pub noise: Option<Noise>,
    /// Whether its line says as much as its patch, as for a pure rename.
    pub is_shown_by_list: bool,
    /// Additional bytes that an answer needs to list it.
    pub extra: usize,
    /// Additional bytes that an answer needs to show each piece; empty for none.
    pub piece_extra: Vec<usize>,
    /// The sizes of its patch; empty if patches are not shown.
    pub patch: Measures,
}

impl File {
    /// Returns the additional bytes that an answer needs to show a piece.
    pub(super) fn piece_extra(&self, piece: usize) -> usize {
        self.piece_extra.get(piece).copied().unwrap_or_default()
    }

    /// Returns the primary sort key: noise last, then by rank.
    pub(super) fn class(&self) -> (bool, Rank) {
        (self.noise.is_some(), self.rank)
    }
}

/// Returns the numbers of added and removed lines of files.
pub(super) fn changes<'f>(files: impl IntoIterator<Item = &'f File>) -> (u64, u64) {
    let lines = files.into_iter().filter_map(|file| file.lines);
    lines.fold((0, 0), |(added, removed), (plus, minus)| (added + plus, removed + minus))
}

/// The sizes of a patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// The cost of each head.
    pub(super) heads: Vec<usize>,
    /// The sizes of each piece.
    pub(super) pieces: Vec<Measure>,
}

impl Clone for Measures {
    fn clone(&self) -> Self {
        Self { heads: self.heads.copied_vec(), pieces: self.pieces.copied_vec() }
    }
}

/// The sizes of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    /// The index of its head, if it has one.
    pub head: Option<usize>,
    /// Bytes of its text.
    pub bytes: usize,
    /// The cost of its text.
    pub cost: usize,
}

/// A file's patch as text: pieces that are shown whole, and the heads above them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    heads: Vec<String>,
    pieces: Vec<Piece>,
}

/// A hunk, or the text of a patch without hunks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    head: Option<usize>,
    text: String,
}

impl Patch {
    /// Cuts a patch at the ranges of its hunks; invalid UTF-8 becomes U+FFFD.
    pub fn new(bytes: &[u8], hunks: &[Range<usize>]) -> Self {
        let text = |range: Range<usize>| text_of(&bytes[range]).taken();
        let mut patch = Self::default();
        let mut end = 0;
        for hunk in hunks {
            // A type change is two patches in one, so there may be a second head.
            if hunk.start > end {
                patch.heads.add(text(end..hunk.start));
            }
            patch
                .pieces
                .add(Piece { head: patch.heads.len().checked_sub(1), text: text(hunk.clone()) });
            end = hunk.end;
        }
        if bytes.len() > end {
            patch.pieces.add(Piece { head: None, text: text(end..bytes.len()) });
        }
        patch
    }

    /// Returns the sizes of the patch in an answer of the given form.
    pub fn measures(&self, form: Form) -> Measures {
        let piece = |piece: &Piece| Measure {
            head: piece.head,
            bytes: piece.text.len(),
            cost: form.cost(&piece.text),
        };
        Measures {
            heads: self.heads.iter().map(|head| form.cost(head)).gather(),
            pieces: self.pieces.iter().map(piece).gather(),
        }
    }

    /// Returns the mean length in bytes of a line of the patch.
    pub fn mean_line(&self) -> usize {
        let texts = || self.pieces.iter().map(|piece| &piece.text);
        let lines: usize = texts().map(|text| text.lines().count()).sum();
        texts().map(String::len).sum::<usize>() / lines.max(1)
    }

    /// Returns the text of a piece.
    pub(super) fn piece(&self, piece: usize) -> &str {
        &self.pieces[piece].text
    }

    /// Returns the head of a piece, or an empty string.
    pub(super) fn head(&self, piece: usize) -> &str {
        self.pieces[piece].head.map_or("", |head| &self.heads[head])
    }
}

impl Measures {
    /// Returns the number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Tells whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the bytes of all pieces.
    pub(super) fn bytes(&self) -> usize {
        self.sizes().sum()
    }

    /// Returns the bytes of each piece, to tell two patches apart.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().map(|piece| piece.bytes)
    }

    /// Returns the number of hunks.
    pub(super) fn hunks(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.head.is_some()).count()
    }

    /// Tells whether two pieces have the same head.
    pub(super) fn has_same_head(&self, a: usize, b: usize) -> bool {
        self.pieces[a].head == self.pieces[b].head
    }

    /// Returns the cost of the head of a piece.
    pub(super) fn head_cost(&self, piece: usize) -> usize {
        self.pieces[piece].head.map_or(0, |head| self.heads[head])
    }
}
