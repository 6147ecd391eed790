//! Where the jobs of a pipeline come from.

use crate::error::Result;

/// Where jobs come from, one after the other.
pub struct Source<I> {
    jobs: I,
    open: Option<Open<I>>,
}

/// How a source says that results must wait for its word, and works towards it.
struct Open<I> {
    is_open: fn(&I) -> bool,
    walk_on: fn(&mut I),
}

impl<I> Source<I> {
    /// Takes the jobs from an iterator.
    pub fn new(jobs: I) -> Self {
        Self { jobs, open: None }
    }

    /// Holds all results back while `is_open`; while there is no room for another job, a worker has `walk_on`
    /// called again and again. It must return after some milliseconds, and close the source in the end. So does
    /// the last job.
    #[must_use]
    pub fn open_while(self, is_open: fn(&I) -> bool, walk_on: fn(&mut I)) -> Self {
        Self { open: Some(Open { is_open, walk_on }), ..self }
    }

    /// Tells whether results may be read.
    pub(super) fn is_decided(&self) -> bool {
        self.open.as_ref().is_none_or(|open| !(open.is_open)(&self.jobs))
    }

    /// Works towards the word on what was given.
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
