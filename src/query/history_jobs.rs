//! The commits of a walk in groups, as jobs of workers.

use std::time::Instant;

use crate::error::Result;
use crate::git::History;
use crate::limits;
use crate::pipeline::{Batches, Growth, Source};

/// The commits of a walk, returned by `next`.
struct Walk<C> {
    history: History,
    next: fn(&mut History) -> Option<Result<C>>,
}

impl<C> Iterator for Walk<C> {
    type Item = Result<C>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next)(&mut self.history)
    }
}

/// The commits of a walk in groups; an error comes after the commits before it.
pub struct Jobs<C> {
    groups: Batches<Walk<C>>,
    /// The time of the last group.
    last: Instant,
}

impl<C> Jobs<C> {
    /// Returns a source of jobs; withholds results until the excluded commits of the range are
    /// known.
    pub fn source(history: History, next: fn(&mut History) -> Option<Result<C>>) -> Source<Self> {
        let growth = Growth { doubles_after: 4, most: limits::JOB_COMMITS };
        let groups = Batches::new(Walk { history, next }, growth);
        Source::new(Self { groups, last: Instant::now() }).open_while(
            |jobs| jobs.groups.items().history.is_open(),
            |jobs| jobs.groups.items_mut().history.walk_on(limits::WALK_TIME),
        )
    }
}

impl<C> Iterator for Jobs<C> {
    type Item = Result<Vec<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        // Nothing can be read before the walk has ended, so it gets as much time as the comparisons
        // took in the meantime.
        self.groups.items_mut().history.walk_on(self.last.elapsed());
        let job = self.groups.next();
        self.last = Instant::now();
        job
    }
}
