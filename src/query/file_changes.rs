//! The files that differ between two sides.

use super::revisions::Revisions;
use super::rows::{OneRow, Query, Rows};
use super::run::{Context, Need, Needs};
use redline_base::error::Result;
use redline_git::{Measure, Measured};
use redline_text::CancelToken;

/// A query for the changed files between two sides.
pub struct FileChangesQuery(pub Revisions);

impl OneRow for Measured {}

impl Query for FileChangesQuery {
    type Group = Measured;

    /// Starts measuring every change. Without measurements, the walk runs on the caller's thread if
    /// that is allowed, and if only names are needed, untracked files are not read.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Measured>> {
        let measure = needs.measure();
        let is_measured = measure != Measure::default();
        let is_named = !is_measured && !needs.has(Need::Details);
        let named = is_named.then(|| self.0.names_only());
        let revisions = named.as_ref().unwrap_or(&self.0);
        if !is_measured && let Some(rows) = revisions.walk(context, Measured::unmeasured)? {
            return Ok(rows);
        }
        revisions.work(context, |comparison| {
            let mut measurer = comparison.measurer(measure, self.0.diff.clone());
            Ok(move |change, cancel: &CancelToken<'_>| measurer.measure(change, cancel))
        })
    }
}
