//! Whether a change has been made already.

/// How a file, or the place of a hunk, is to a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As before it.
    Before,
    /// As after it.
    After,
    /// Both: lines are only added, and they stand there.
    Either,
}

impl State {
    /// Returns the state of two parts together; `None` where one is before and one after the
    /// change.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Either) => Some(one),
            (Self::Either, other) => Some(other),
            (one, other) => (one == other).then_some(one),
        }
    }
}
