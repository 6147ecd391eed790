//! The diffs of all files, or of one, line by line.

use std::sync::Arc;

use super::context::Context;
use super::diff_rows::{LineRow, LineRows, Liner};
use super::needs::Needs;
use super::revisions::Revisions;
use super::rows::{Query, RowGroup, Rows};
use crate::budget::{Budget, Current};
use crate::error::Result;
use crate::git::{Change, Comparison};
use crate::pipeline::Weigh;
use crate::sandbox::read_restricted;
use crate::text::{CancelToken, DiffOptions};

/// Two sides of which the lines that differ are wanted.
pub struct LinesQuery {
    /// The sides.
    pub revisions: Revisions,
    /// How lines are compared.
    pub options: DiffOptions,
}

/// The lines of one file.
pub struct FileLines {
    path: Vec<u8>,
    lines: LineRows,
}

impl Weigh for FileLines {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.lines.bytes()
    }
}

impl RowGroup for FileLines {
    /// The path of the file, and the line.
    type Of<'a> = (&'a [u8], LineRow<'a>);

    fn rows(&self) -> usize {
        self.lines.len()
    }

    fn row(&self, index: usize) -> Self::Of<'_> {
        (&self.path, self.lines.row(index))
    }
}

impl Query for LinesQuery {
    type Group = FileLines;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<FileLines>> {
        let rows = self.revisions.work(context, |comparison| {
            let mut liner = Liner::new(comparison, &self.options);
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                let lines = liner.lines(std::slice::from_ref(&change), cancel)?;
                Ok(FileLines { path: change.path, lines })
            })
        })?;
        Ok(rows.into())
    }
}

/// A file of which the lines that differ are wanted.
pub struct FileDiffQuery {
    /// The path of the file.
    pub file: String,
    /// The sides.
    pub revisions: Revisions,
    /// How lines are compared.
    pub options: DiffOptions,
}

/// A file that was found on one side or both, not yet read.
pub struct FileDiff {
    budget: Arc<Budget>,
    comparison: Comparison,
    changes: Vec<Change>,
    options: DiffOptions,
}

impl FileDiffQuery {
    /// Opens the sides and finds the file; `names` are what messages call the function that asks for a file and the one
    /// that lists them.
    pub fn find(&self, context: &Context, names: [&str; 2]) -> Result<FileDiff> {
        context.read(|| {
            let comparison = self.revisions.open(context)?;
            let changes = self.revisions.file(&comparison, &self.file, names)?;
            let (budget, options) = (Arc::clone(&context.budget), self.options.clone());
            Ok(FileDiff { budget, comparison, changes, options })
        })
    }
}

impl FileDiff {
    /// Compares the file.
    pub fn lines(&self) -> Result<LineRows> {
        let access = self.comparison.repository().access();
        read_restricted(access, || {
            let _current = Current::enter(&self.budget);
            Liner::new(&self.comparison, &self.options)
                .lines(&self.changes, &CancelToken::of(&self.budget))
        })
    }
}
