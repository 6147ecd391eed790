//! The start of every parallel work: a part of the budget, the repository under it, threads, and the window.

use std::sync::Arc;

use super::context::Context;
use super::needs::{NAMES, Needs};
use crate::budget::{Budget, Permits};
use crate::error::Result;
use crate::git::{Mailmap, Repository, mailmap_of};
use crate::pipeline::{Ordered, Source, Weigh, Window};
use crate::text::CancelToken;

/// A work that is about to start.
pub struct Run {
    /// The repository, whose reads count for this work.
    pub repository: Repository,
    /// What the work may use; dropping its rows cancels it.
    pub budget: Arc<Budget>,
    permits: Permits,
}

impl Run {
    /// Opens the repository that was named, for work with at most so many threads.
    pub fn open(context: &Context, repo: &str, threads: usize) -> Result<Self> {
        Ok(Self::over(context, context.repository(repo)?, threads))
    }

    /// Prepares work on a repository with at most so many threads.
    pub fn over(context: &Context, repository: Repository, threads: usize) -> Self {
        let budget = context.budget.part();
        let repository = repository.with_budget(Arc::clone(&budget));
        Self { repository, budget, permits: Permits::take(context.threads.min(threads)) }
    }

    /// Returns what .mailmap says, where the columns need names and they are wanted as it has them.
    pub fn mailmap(&self, needs: Needs, is_wanted: bool) -> Result<Option<Arc<Mailmap>>> {
        let is_read = is_wanted && needs & NAMES != 0;
        is_read.then(|| mailmap_of(&self.repository).map(Arc::new)).transpose()
    }

    /// Gives away the right to one thread, where there are others.
    pub fn split(&mut self) -> Option<Permits> {
        self.permits.split()
    }

    /// Starts a thread for each worker that `make` returns; they take the jobs of `source`.
    pub fn start<J, I, R, W>(
        self,
        source: Source<I>,
        window: Window,
        mut make: impl FnMut(&Self) -> Result<W>,
    ) -> Result<Ordered<R>>
    where
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        R: Weigh + Send + 'static,
        W: FnMut(J, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        let worker = |_| {
            let (mut work, budget) = (make(&self)?, Arc::clone(&self.budget));
            Ok(move |job| work(job, &CancelToken::of(&budget)))
        };
        let workers = (0..self.permits.count()).map(worker).collect::<Result<_>>()?;
        Ordered::start(source, workers, window, self.budget, self.permits)
    }
}
