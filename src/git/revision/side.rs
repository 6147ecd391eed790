//! One side of a comparison.

use crate::git::Oid;

/// One side of a comparison, resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// The tree of a revision.
    Tree(Oid),
    /// The empty tree, `EMPTY`.
    Empty,
    /// The content of the next commit, `INDEX` or `STAGED`.
    Index,
    /// The files on disk, `WORKTREE` or `WORKDIR`.
    WorkTree,
}

impl Revision {
    /// Returns the id of a tree, `Some(None)` for the empty one; `None` for index and work tree.
    pub fn as_tree(self) -> Option<Option<Oid>> {
        match self {
            Self::Tree(id) => Some(Some(id)),
            Self::Empty => Some(None),
            Self::Index | Self::WorkTree => None,
        }
    }

    /// Tells whether a name is a side that is not a revision.
    pub(in crate::git) fn is_named(name: &str) -> bool {
        Self::named(name).is_some()
    }

    /// Returns the side of a name that is not a revision, in any case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let names = [
            ("EMPTY", Self::Empty),
            ("INDEX", Self::Index),
            ("STAGED", Self::Index),
            ("WORKTREE", Self::WorkTree),
            ("WORKDIR", Self::WorkTree),
        ];
        names.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, side)| side)
    }
}
