//! The files of a revision, the index or the work tree.

use super::revisions::Revisions;
use super::rows::{Query, RowGroup, Rows};
use super::run::{Context, Need, Needs};
use crate::error::Result;
use crate::git::{Change, Measure, Measured};
use crate::pipeline::Weigh;
use crate::text::{CancelToken, DiffOptions};

/// A query for the files of a side.
pub struct TreeFilesQuery(pub Revisions);

/// Some consecutive files of a side, each as the change from nothing to it.
pub struct FileBatch(Vec<Measured>);

impl Weigh for FileBatch {
    fn bytes(&self) -> usize {
        self.0.iter().map(Weigh::bytes).sum()
    }
}

impl RowGroup for FileBatch {
    type Of<'a> = &'a Measured;

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize) -> &Measured {
        &self.0[index]
    }
}

impl Query for TreeFilesQuery {
    type Group = FileBatch;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<FileBatch>> {
        let sizes = needs.has(Need::Sizes);
        let unmeasured = |change| FileBatch(vec![Measured::unmeasured(change)]);
        if !sizes && let Some(rows) = self.0.walk(context, unmeasured)? {
            return Ok(rows);
        }
        self.0.work_in_batches(context, |comparison| {
            let measure = Measure { sizes, lines: false };
            let mut measurer = comparison.measurer(measure, DiffOptions::default());
            Ok(move |changes: Vec<Change>, cancel: &CancelToken<'_>| {
                let measured = |change| measurer.measure(change, cancel);
                changes.into_iter().map(measured).collect::<Result<_>>().map(FileBatch)
            })
        })
    }
}
