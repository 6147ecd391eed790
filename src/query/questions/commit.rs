//! A commit and its fields, as far as they are needed.

use crate::machinery::rows::RowGroup;
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_git::{CommitInfo, CommitParts, Mailmap, Objects, Oid, Visited};
use redline_rows::{Need, Needs};
use redline_text::CancelToken;

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
        mut visited: Visited,
        needs: Needs,
        objects: &Objects,
        mailmap: Option<&Mailmap>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        const READ: [Need; 5] =
            [Need::Info, Need::Names, Need::Body, Need::Trailers, Need::Signature];
        // Rows do not keep it.
        let content = visited.content.take();
        if !needs.has_any(&READ) {
            return Ok(Self { visited, info: None });
        }
        let bytes = content.map_or_else(|| objects.commit(&visited.id), Ok)?;
        let parts = CommitParts {
            body: needs.has(Need::Body),
            trailers: needs.has(Need::Trailers),
            signature: needs.has(Need::Signature).then(|| visited.id.kind()),
        };
        let info = CommitInfo::read_parts(&bytes, mailmap, parts, cancel)?;
        Ok(Self { visited, info: Some(info) })
    }
}

impl Weigh for Commit {
    fn bytes(&self) -> usize {
        let info = self.info.as_ref().map_or(0, CommitInfo::bytes);
        size_of::<Self>() + self.visited.parents.len() * size_of::<Oid>() + info
    }
}

/// A commit with what it changed.
impl<T: Weigh + Send + 'static> RowGroup for (Commit, T) {
    type Of<'a> = (&'a Commit, &'a T);

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> (&Commit, &T) {
        (&self.0, &self.1)
    }
}
