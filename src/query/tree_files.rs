//! The files of a revision, the index or the work tree.

use super::revisions::Revisions;
use super::rows::{Query, Rows};
use super::run::{Context, Need, Needs};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_git::{Change, Measure, Measured};
use redline_text::{CancelToken, DiffOptions};

/// A query for the files of a side.
pub struct TreeFilesQuery(pub Revisions);

impl Query for TreeFilesQuery {
    /// Some files of the side, each as the change from nothing to it.
    type Group = Vec<Measured>;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Vec<Measured>>> {
        let sizes = needs.has(Need::Sizes);
        let unmeasured = |change| vec![Measured::unmeasured(change)];
        if !sizes && let Some(rows) = self.0.walk(context, unmeasured)? {
            return Ok(rows);
        }
        self.0.work_in_batches(context, |comparison| {
            let measure = Measure { sizes, lines: false };
            let mut measurer = comparison.measurer(measure, DiffOptions::default());
            Ok(move |changes: Vec<Change>, cancel: &CancelToken<'_>| {
                let measured = |change| measurer.measure(change, cancel);
                changes.into_iter().map(measured).try_gather()
            })
        })
    }
}
