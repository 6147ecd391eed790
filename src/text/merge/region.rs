//! Lines that at least one side changed, and how they are merged.

use std::ops::Range;

/// How a region is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The sides differ, and the conflict is not resolved.
    Conflict,
    /// Our lines are taken.
    Ours,
    /// Their lines are taken.
    Theirs,
    /// Ours and theirs are taken.
    Union,
    /// It was a conflict, but both sides have the same lines.
    Same,
}

/// Lines that at least one side changed: half-open ranges of 0-based numbers. A range starts below
/// 0 only until the region is joined with the one before it.
#[derive(Debug, Clone)]
pub(super) struct Region {
    pub(super) kind: Kind,
    pub(super) base: Range<i64>,
    pub(super) ours: Range<i64>,
    pub(super) theirs: Range<i64>,
}
