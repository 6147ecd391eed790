//! Whether a change has been applied already.

/// The state of a file, or of the place of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Before the change.
    Before,
    /// After the change.
    After,
    /// Either: lines are only added, and they are there.
    Either,
}

impl State {
    /// Returns the state of two parts together; `None` if one is before and the other after the
    /// change.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Either) => Some(one),
            (Self::Either, other) => Some(other),
            (one, other) => (one == other).then_some(one),
        }
    }
}
