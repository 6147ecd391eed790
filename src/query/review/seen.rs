//! What a reviewer has seen: ids of hunks, and whole comparisons.

use std::collections::HashSet;

use crate::machinery::hunk_ids::{HunkNamer, id_bytes};
use crate::machinery::revisions::Revisions;
use crate::machinery::run::Context;
use redline_base::budget::{Charge, Gather, Grow};
use redline_base::error::Result;
use redline_git::Change;
use redline_text::hunk_id::{HunkId, parts};
use redline_text::{CancelToken, DiffOptions};

/// The names of hunks that were seen.
#[derive(Default)]
pub struct Seen {
    ids: HashSet<String>,
    _charge: Charge,
}

impl Seen {
    /// Returns what was seen: names of hunks, and ranges of revisions; `revisions` are those that
    /// are compared now, in the same repository.
    ///
    /// # Errors
    /// Those of the ranges.
    pub fn of(given: &[String], revisions: &Revisions, context: &Context) -> Result<Self> {
        let mut seen = Self::default();
        for given in given {
            // The names of hunks have no dots.
            match given.contains("..") {
                true => seen.add(&revisions.of_range(given), context)?,
                false => seen.ids.add_all(parts(given).map(str::to_owned)),
            }
        }
        Ok(seen)
    }

    /// Tells whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Tells whether a hunk was seen as it is.
    pub fn has(&self, id: &HunkId) -> bool {
        self.ids.contains(&id.context)
    }

    /// Tells whether the lines of a hunk were seen.
    pub fn has_lines(&self, id: &HunkId) -> bool {
        self.ids.contains(&id.lines)
    }

    fn add(&mut self, revisions: &Revisions, context: &Context) -> Result<()> {
        let comparison = revisions.open(context)?;
        let work = revisions.work_on(&comparison, context, |comparison| {
            let options = DiffOptions::default();
            let mut namer = HunkNamer::new(comparison, &options, true)?;
            let mut patcher = comparison.patcher(options)?;
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                let patch = patcher.patch(&change, cancel)?;
                let Some(names) = namer.names(&change, &patch, cancel)? else {
                    return Ok(Vec::new());
                };
                let file = names.file().cloned();
                Ok(names.of_all(&patch).into_iter().flatten().chain(file).gather::<Vec<_>>())
            })
        })?;
        let cancel = CancelToken::of(&context.budget);
        for ids in work {
            let ids = ids?;
            self._charge.join(cancel.charge_all(ids.iter().map(id_bytes).sum())?);
            self.ids.add_all(ids.into_iter().flat_map(|id| [id.lines, id.context]));
        }
        Ok(())
    }
}
