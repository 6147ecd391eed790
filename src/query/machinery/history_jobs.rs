//! The commits of a walk in groups, as jobs of workers; and those that a range excludes, which may
//! be known only at the end of the walk.

use std::sync::Arc;
use std::time::Instant;

use redline_base::budget::Grow;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_base::pipeline::{Batches, Growth, Source};
use redline_git::{Excluded, History, Oid};

/// The commits of a walk, returned by `next`.
struct CommitWalk<C> {
    history: History,
    next: fn(&mut History) -> Option<Result<C>>,
}

impl<C> Iterator for CommitWalk<C> {
    type Item = Result<C>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next)(&mut self.history)
    }
}

/// The commits of a walk in groups; an error comes after the commits before it.
pub struct Jobs<C> {
    groups: Batches<CommitWalk<C>>,
    /// The time of the last group.
    last: Instant,
}

impl<C> Jobs<C> {
    /// Returns a source of jobs of up to `most` commits; withholds results until the excluded
    /// commits of the range are known.
    pub fn source(
        history: History,
        next: fn(&mut History) -> Option<Result<C>>,
        most: usize,
    ) -> Source<Self> {
        let growth = Growth { doubles_after: 4, most };
        let groups = Batches::new(CommitWalk { history, next }, growth);
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

/// The decisions to make before commits are shown: which of them the range excludes, and whether
/// another one could not be read.
pub struct Unsettled {
    failed: Vec<(Oid, Error)>,
    excluded: Arc<Excluded>,
}

impl Unsettled {
    /// Creates the state of a group without failures.
    pub fn new(excluded: &Arc<Excluded>) -> Self {
        Self { failed: Vec::new(), excluded: Arc::clone(excluded) }
    }

    /// Records that a commit could not be read.
    pub fn fail(&mut self, commit: Oid, error: Error) {
        self.failed.add((commit, error));
    }

    /// Returns a function that tells whether the range excludes a commit, once the walk has ended.
    ///
    /// # Errors
    /// The error of the first unreadable commit that the range does not exclude.
    pub fn settle(&mut self) -> Result<impl Fn(&Oid) -> bool> {
        let Some(excluded) = self.excluded.get() else {
            return Err(Error::tool_failed(
                "the commit walk ended before the excluded commits were known",
            ));
        };
        match self.failed.drain(..).find(|(commit, _)| !excluded.contains(commit)) {
            Some((_, error)) => Err(error),
            None => Ok(|commit: &Oid| excluded.contains(commit)),
        }
    }
}
