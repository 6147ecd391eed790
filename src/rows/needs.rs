//! The data that columns need.

/// Data of columns that takes time to compute. Reading and comparing contents takes nearly all the
/// time, so only data of shown columns is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The sizes of contents.
    Sizes,
    /// The contents, compared line by line.
    Lines,
    /// The content of a commit.
    Info,
    /// The names of people, which .mailmap may change.
    Names,
    /// The body of a commit's message.
    Body,
    /// The trailers of a commit's message.
    Trailers,
    /// The signature of a commit.
    Signature,
    /// The names of the references that lead to a commit.
    Refs,
    /// The notes on a commit.
    Notes,
    /// The patch of a changed file.
    Patch,
    /// The shortest unambiguous name of a reference.
    Short,
    /// The commit that a reference points to, through tags.
    Commit,
    /// The time of that commit.
    Committed,
    /// The message of the object that a reference points to.
    Message,
    /// The upstream of a branch.
    Upstream,
    /// The numbers of commits that only a branch or its upstream has.
    Distance,
    /// The fields of a changed file besides its path and its status.
    Details,
    /// The patch id of a commit.
    PatchId,
    /// The ids of hunks.
    HunkId,
}

/// A set of needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs(u32);

impl Needs {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the set of some needs.
    pub const fn of(needs: &[Need]) -> Self {
        let (mut set, mut at) = (Self::NONE, 0);
        while at < needs.len() {
            set = set.and(Self(1 << needs[at] as u32));
            at += 1;
        }
        set
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Tells whether a need is in the set.
    pub fn has(self, need: Need) -> bool {
        self.has_any(&[need])
    }

    /// Tells whether one of several needs is in the set.
    pub fn has_any(self, needs: &[Need]) -> bool {
        self.0 & Self::of(needs).0 != 0
    }

    /// Tells whether the set has other needs than one.
    pub fn has_more_than(self, need: Need) -> bool {
        self.0 & !Self::of(&[need]).0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let set = Needs::of(&[Need::Refs]).and(Needs::of(&[Need::Sizes, Need::Details]));
        assert!(set.has(Need::Refs) && set.has(Need::Sizes) && !set.has(Need::Lines));
        assert!(set.has_any(&[Need::Lines, Need::Details]) && set.has_more_than(Need::Refs));
        assert!(!Needs::of(&[Need::Refs]).has_more_than(Need::Refs));
        assert!(!Needs::NONE.has(Need::Sizes) && !Needs::NONE.has_more_than(Need::Sizes));
    }
}
