//! The commits of all lines of a revision's files.

use std::sync::Arc;

use super::blame::Blamed;
use super::context::Context;
use super::needs::{Need, Needs};
use super::revisions::Revisions;
use super::rows::{Query, RowGroup, Rows};
use crate::error::{Error, Result};
use crate::git::{
    Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion, Change, CommitInfo, Mailmaps,
    Pathspec,
};
use crate::pipeline::Weigh;
use crate::text::CancelToken;

/// A query for the blame of many files.
pub struct TreeBlameQuery {
    /// The newest versions.
    pub rev: String,
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub paths: Vec<Pathspec>,
    /// The mailmaps to apply to names.
    pub mailmap: Mailmaps,
    /// How lines are followed.
    pub options: BlameOptions,
}

/// The runs of lines of a file.
pub struct BlamedFile {
    path: Vec<u8>,
    blamed: Blamed,
}

/// A run of lines from one commit.
#[derive(Clone, Copy)]
pub struct BlamedHunk<'a> {
    file: &'a BlamedFile,
    /// The lines.
    pub run: BlamedRun,
}

impl<'a> BlamedHunk<'a> {
    /// Returns the path of the file.
    pub fn path(self) -> &'a [u8] {
        &self.file.path
    }

    /// Returns the version of its lines.
    pub fn version(self) -> &'a BlamedVersion {
        self.file.blamed.version(self.run)
    }

    /// Returns the fields of its commit.
    pub fn info(self) -> Option<&'a CommitInfo> {
        self.file.blamed.info(self.run)
    }
}

impl Weigh for BlamedFile {
    fn bytes(&self) -> usize {
        let blame = &self.blamed.blame;
        blame.content.len() + blame.runs.len() * size_of::<BlamedRun>()
    }
}

impl RowGroup for BlamedFile {
    type Of<'a> = BlamedHunk<'a>;

    fn rows(&self) -> usize {
        self.blamed.blame.runs.len()
    }

    fn row(&self, index: usize) -> BlamedHunk<'_> {
        BlamedHunk { file: self, run: self.blamed.blame.runs[index] }
    }
}

impl Query for TreeBlameQuery {
    type Group = BlamedFile;

    /// Starts the work, with one job for each file.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<BlamedFile>> {
        let files = Revisions {
            paths: self.paths.clone(),
            ..Revisions::between("EMPTY".to_owned(), Some(self.rev.clone()), self.repo.clone())
        };
        let rows = files.work(context, |comparison| {
            let repository = comparison.repository().clone();
            let is_named = needs.has(Need::Names) && self.mailmap.is_any();
            let mailmap =
                is_named.then(|| self.mailmap.read(&repository).map(Arc::new)).transpose()?;
            let (rev, options, mut cache) =
                (self.rev.clone(), self.options.clone(), BlameCache::default());
            Ok(move |change: Change, _: &CancelToken<'_>| {
                let path = change.path;
                let is_file = change.new.is_some_and(|entry| !entry.mode.is_submodule());
                let blame = match std::str::from_utf8(&path) {
                    Ok(path) if is_file => {
                        Blame::of_one(&repository, path, &rev, &options, &mut cache)?
                    }
                    Ok(_) => Blame::nothing(),
                    Err(_) => {
                        return Err(Error::invalid_args(
                            "a file has a name that is not valid UTF-8",
                        )
                        .with_hint("Leave it out with paths"));
                    }
                };
                let blamed = Blamed::new(blame, &repository, mailmap.as_deref(), needs)?;
                Ok(BlamedFile { path, blamed })
            })
        })?;
        Ok(rows.into())
    }
}
