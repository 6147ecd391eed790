//! Whether a change has been made already: a call whose answer was lost is repeated, and an insertion must not be made twice.

use super::fit::Fitted;
use crate::error::{Error, Result, quoted};

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
    /// Returns the state of two parts together; `None` where one is before and one after the change.
    pub(super) fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Either) => Some(one),
            (Self::Either, other) => Some(other),
            (one, other) => (one == other).then_some(one),
        }
    }
}

/// What becomes of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is applied.
    Apply,
    /// All of it is there already: nothing is written.
    AlreadyApplied,
}

/// Decides about all files together.
///
/// # Errors
/// `stale` where some files have their change and others do not.
pub fn decide(files: &[Fitted]) -> Result<Decision> {
    let mut all = State::Either;
    for file in files {
        all = all.and(file.state).ok_or_else(|| {
            let is_after = |file: &&Fitted| file.state == State::After;
            let path = files.iter().find(is_after).map_or("", |file| file.path.as_str());
            Error::stale(format!("{} has its change already, and other files do not", quoted(path)))
                .with_hint("Leave out what is done, and send the rest")
        })?;
    }
    Ok(if all == State::Before { Decision::Apply } else { Decision::AlreadyApplied })
}
