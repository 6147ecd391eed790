//! The commits of a walk in groups, as jobs of workers.

use std::time::Instant;

use crate::error::{Error, Result};
use crate::git::History;
use crate::limits;
use crate::pipeline::Source;

/// The commits of a walk in groups; an error comes after the commits before it.
pub struct Jobs<C> {
    history: History,
    /// Takes the next commit off the walk.
    next: fn(&mut History) -> Option<Result<C>>,
    failed: Option<Error>,
    /// Jobs that were given.
    given: u32,
    /// When the last group was given.
    last: Instant,
}

impl<C> Jobs<C> {
    /// Returns a source of jobs; results wait until it is known which commits the range excludes.
    pub fn source(history: History, next: fn(&mut History) -> Option<Result<C>>) -> Source<Self> {
        Source::new(Self { history, next, failed: None, given: 0, last: Instant::now() })
            .open_while(
                |jobs| jobs.history.is_open(),
                |jobs| jobs.history.walk_on(limits::WALK_TIME),
            )
    }
}

impl<C> Iterator for Jobs<C> {
    type Item = Result<Vec<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        // Nothing can be read before the walk has ended, so it gets as much time as what is compared meanwhile.
        self.history.walk_on(self.last.elapsed());
        let commits =
            1usize.checked_shl(self.given / 4).unwrap_or(usize::MAX).min(limits::JOB_COMMITS);
        self.given = self.given.saturating_add(1);
        let mut job = Vec::with_capacity(commits);
        while job.len() < commits
            && let Some(commit) = (self.next)(&mut self.history)
        {
            match commit {
                Ok(commit) => job.push(commit),
                Err(error) if job.is_empty() => return Some(Err(error)),
                Err(error) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        self.last = Instant::now();
        (!job.is_empty()).then_some(Ok(job))
    }
}
