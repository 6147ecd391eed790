//! The source of a pipeline's jobs.

use crate::error::Result;

/// A source of jobs.
pub struct Source<I> {
    jobs: I,
    open: Option<Open<I>>,
}

/// How a source withholds results, and how it advances until they are final.
struct Open<I> {
    is_open: fn(&I) -> bool,
    walk_on: fn(&mut I),
}

impl<I> Source<I> {
    /// Takes the jobs from an iterator.
    pub fn new(jobs: I) -> Self {
        Self { jobs, open: None }
    }

    /// Withholds all results while `is_open`; while there is no room for another job, a worker
    /// calls `walk_on` repeatedly. It must return after some milliseconds, and close the source
    /// eventually. So does the last job.
    #[must_use]
    pub fn open_while(self, is_open: fn(&I) -> bool, walk_on: fn(&mut I)) -> Self {
        Self { open: Some(Open { is_open, walk_on }), ..self }
    }

    /// Tells whether results may be read.
    pub(super) fn is_decided(&self) -> bool {
        self.open.as_ref().is_none_or(|open| !(open.is_open)(&self.jobs))
    }

    /// Advances the source until it knows which jobs count.
    pub(super) fn walk_on(&mut self) {
        if let Some(open) = &self.open {
            (open.walk_on)(&mut self.jobs);
        }
    }
}

impl<J, I: Iterator<Item = Result<J>>> Source<I> {
    /// Returns the next job.
    pub(super) fn next(&mut self) -> Result<Option<J>> {
        self.jobs.next().transpose()
    }
}
