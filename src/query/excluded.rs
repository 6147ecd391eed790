//! Commits that a range leaves out, which a walk may know only at its end.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::git::{Excluded, Oid};

/// What must be settled of some commits before they are shown: which of them the range leaves out, and whether one
/// that it does not leave out could not be read.
pub struct Unsettled {
    failed: Vec<(Oid, Error)>,
    excluded: Arc<Excluded>,
}

impl Unsettled {
    /// Returns the state of a group in which nothing has failed.
    pub fn new(excluded: &Arc<Excluded>) -> Self {
        Self { failed: Vec::new(), excluded: Arc::clone(excluded) }
    }

    /// Remembers that a commit could not be read.
    pub fn fail(&mut self, commit: Oid, error: Error) {
        self.failed.push((commit, error));
    }

    /// Tells of a commit whether the range leaves it out, once the walk has ended.
    ///
    /// # Errors
    /// That of the first commit that could not be read and that the range does not leave out.
    pub fn settle(&mut self) -> Result<impl Fn(&Oid) -> bool> {
        let Some(excluded) = self.excluded.get() else {
            return Err(Error::tool_failed(
                "the commit walk ended before the excluded commits were known",
            ));
        };
        match self.failed.drain(..).find(|(commit, _)| !excluded.contains(commit)) {
            Some((_, error)) => Err(error),
            None => Ok(|commit: &Oid| excluded.contains(commit)),
        }
    }
}
