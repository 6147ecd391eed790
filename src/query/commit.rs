//! A commit and what it says of itself, as far as that is asked for.

use super::needs::{BODY, INFO, NAMES, Needs};
use crate::error::Result;
use crate::git::{CommitInfo, Mailmap, Objects, Oid, Visited};
use crate::text::CancelToken;

/// A commit and what was read of it.
#[derive(Debug)]
pub struct Commit {
    /// The commit.
    pub visited: Visited,
    /// What it says of itself, where that was asked for.
    pub info: Option<CommitInfo>,
}

impl Commit {
    /// Reads what columns with these needs show of a commit.
    pub fn read(
        visited: Visited,
        needs: Needs,
        objects: &Objects,
        mailmap: Option<&Mailmap>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let info = if needs & (INFO | NAMES | BODY) == 0 {
            None
        } else {
            let bytes = objects.commit(&visited.id)?;
            Some(if needs & BODY == 0 {
                CommitInfo::read(&bytes, mailmap, cancel)?
            } else {
                CommitInfo::read_whole(&bytes, mailmap, cancel)?
            })
        };
        Ok(Self { visited, info })
    }

    /// Returns about how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let info = self.info.as_ref().map_or(0, CommitInfo::bytes);
        size_of::<Self>() + self.visited.parents.len() * size_of::<Oid>() + info
    }
}
