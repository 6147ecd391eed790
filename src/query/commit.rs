//! A commit and its fields, as far as they are needed.

use super::needs::{Need, Needs};
use crate::error::Result;
use crate::git::{CommitInfo, Mailmap, Objects, Oid, Visited};
use crate::text::CancelToken;

/// A commit and its fields.
#[derive(Debug)]
pub struct Commit {
    /// The commit.
    pub visited: Visited,
    /// Its fields, if needed.
    pub info: Option<CommitInfo>,
}

impl Commit {
    /// Reads the needed fields of a commit.
    pub fn read(
        visited: Visited,
        needs: Needs,
        objects: &Objects,
        mailmap: Option<&Mailmap>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let info = if needs.has_any(&[Need::Info, Need::Names, Need::Body]) {
            let bytes = objects.commit(&visited.id)?;
            Some(if needs.has(Need::Body) {
                CommitInfo::read_whole(&bytes, mailmap, cancel)?
            } else {
                CommitInfo::read(&bytes, mailmap, cancel)?
            })
        } else {
            None
        };
        Ok(Self { visited, info })
    }

    /// Returns its approximate size in memory.
    pub fn bytes(&self) -> usize {
        let info = self.info.as_ref().map_or(0, CommitInfo::bytes);
        size_of::<Self>() + self.visited.parents.len() * size_of::<Oid>() + info
    }
}
