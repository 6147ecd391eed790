//! A changed file and its patch, cut into what is shown whole.

use std::ops::Range;

use super::noise::Noise;
use super::rank::Rank;
use crate::form::Form;

/// A changed file: what its line says, and what its patch measures.
#[derive(Debug, Clone)]
pub struct File {
    /// git's letter for what happened: A, D, M, R, C, T, U.
    pub letter: char,
    /// The path as it is shown; of a rename both.
    pub name: String,
    /// Added and removed lines; a binary file has none.
    pub lines: Option<(u64, u64)>,
    /// What else its line says.
    pub notes: Vec<String>,
    /// What it is for.
    pub rank: Rank,
    /// Why it comes last, where it does.
    pub noise: Option<Noise>,
    /// Whether its line says all that its patch does, as of a rename alone.
    pub is_told_by_list: bool,
    /// What else an answer needs to list it, in bytes.
    pub extra: usize,
    /// What its patch measures; empty where patches are not shown.
    pub patch: Measures,
}

impl File {
    /// Returns what it comes by: noise last, then what it is for.
    pub(super) fn class(&self) -> (bool, Rank) {
        (self.noise.is_some(), self.rank)
    }
}

/// What a patch measures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    /// What each head costs.
    pub(super) heads: Vec<usize>,
    /// What each piece measures.
    pub(super) pieces: Vec<Measure>,
}

/// What a piece measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    /// Its head, unless it stands for itself.
    pub head: Option<usize>,
    /// Bytes of its text.
    pub bytes: usize,
    /// What its text costs.
    pub cost: usize,
}

/// A file's patch as text: pieces that are shown whole, and the heads that stand before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    heads: Vec<String>,
    pieces: Vec<Piece>,
}

/// A hunk, or what a patch without hunks says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    head: Option<usize>,
    text: String,
}

impl Patch {
    /// Cuts a patch, given where its hunks lie in it; what is not UTF-8 becomes U+FFFD.
    pub fn new(bytes: &[u8], hunks: &[Range<usize>]) -> Self {
        let text = |range: Range<usize>| String::from_utf8_lossy(&bytes[range]).into_owned();
        let mut patch = Self::default();
        let mut end = 0;
        for hunk in hunks {
            // A type change is two patches in one, so there may be a second head.
            if hunk.start > end {
                patch.heads.push(text(end..hunk.start));
            }
            patch
                .pieces
                .push(Piece { head: patch.heads.len().checked_sub(1), text: text(hunk.clone()) });
            end = hunk.end;
        }
        if bytes.len() > end {
            patch.pieces.push(Piece { head: None, text: text(end..bytes.len()) });
        }
        patch
    }

    /// Returns what the patch measures in answers of a form.
    pub fn measures(&self, form: Form) -> Measures {
        let piece = |piece: &Piece| Measure {
            head: piece.head,
            bytes: piece.text.len(),
            cost: form.cost(&piece.text),
        };
        Measures {
            heads: self.heads.iter().map(|head| form.cost(head)).collect(),
            pieces: self.pieces.iter().map(piece).collect(),
        }
    }

    /// Returns the bytes of a line of the patch on average.
    pub fn mean_line(&self) -> usize {
        let texts = || self.pieces.iter().map(|piece| &piece.text);
        let lines: usize = texts().map(|text| text.lines().count()).sum();
        texts().map(String::len).sum::<usize>() / lines.max(1)
    }

    /// Returns the text of a piece.
    pub(super) fn piece(&self, piece: usize) -> &str {
        &self.pieces[piece].text
    }

    /// Returns the head of a piece, or nothing.
    pub(super) fn head(&self, piece: usize) -> &str {
        self.pieces[piece].head.map_or("", |head| &self.heads[head])
    }
}

impl Measures {
    /// Returns how many hunks there are, or pieces that stand for themselves.
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

    /// Returns the bytes of each piece, which tell two patches apart.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().map(|piece| piece.bytes)
    }

    /// Returns how many hunks there are.
    pub(super) fn hunks(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.head.is_some()).count()
    }

    /// Tells whether two pieces stand below one head.
    pub(super) fn has_same_head(&self, a: usize, b: usize) -> bool {
        self.pieces[a].head == self.pieces[b].head
    }

    /// Returns what the head of a piece costs.
    pub(super) fn head_cost(&self, piece: usize) -> usize {
        self.pieces[piece].head.map_or(0, |head| self.heads[head])
    }
}
