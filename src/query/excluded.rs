//! Commits that a range excludes, which may be known only at the end of the walk.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::git::{Excluded, Oid};

/// The decisions to make before commits are shown: which of them the range excludes, and whether
/// another one could not be read.
pub struct Unsettled {
    failed: Vec<(Oid, Error)>,
    excluded: Arc<Excluded>,
}

impl Unsettled {
    /// Creates the state of a group without failures.
    pub fn new(excluded: &Arc<Excluded>) -> Self {
        Self { failed: Vec::new(), excluded: Arc::clone(excluded) }
    }

    /// Records that a commit could not be read.
    pub fn fail(&mut self, commit: Oid, error: Error) {
        self.failed.push((commit, error));
    }

    /// Returns a function that tells whether the range excludes a commit, once the walk has ended.
    ///
    /// # Errors
    /// The error of the first unreadable commit that the range does not exclude.
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
