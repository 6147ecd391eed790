//! The start of parallel work: a part of the budget, a repository, threads and a window.

use std::sync::Arc;

use super::context::Context;
use super::needs::{Need, Needs};
use crate::budget::{Budget, Permits};
use crate::error::Result;
use crate::git::{Mailmap, Mailmaps, Repository};
use crate::pipeline::{Ordered, Source, Weigh, Window};
use crate::text::CancelToken;

/// Work that is about to start.
pub struct Run {
    /// The repository, whose reads count for this work.
    pub repository: Repository,
    /// The budget of the work; dropping its rows cancels it.
    pub budget: Arc<Budget>,
    permits: Permits,
}

impl Run {
    /// Opens a repository, for work with at most this many threads.
    pub fn open(context: &Context, repo: &str, threads: usize) -> Result<Self> {
        Ok(Self::over(context, context.repository(repo)?, threads))
    }

    /// Prepares work on a repository with at most this many threads.
    pub fn over(context: &Context, repository: Repository, threads: usize) -> Self {
        let budget = context.budget.part();
        let repository = repository.with_budget(Arc::clone(&budget));
        Self { repository, budget, permits: Permits::take(context.threads.min(threads)) }
    }

    /// Reads the selected mailmaps, if the columns need names.
    pub fn mailmap(&self, needs: Needs, asked: &Mailmaps) -> Result<Option<Arc<Mailmap>>> {
        let is_read = asked.is_any() && needs.has(Need::Names);
        is_read.then(|| asked.read(&self.repository).map(Arc::new)).transpose()
    }

    /// Splits off a permit for one thread; `None` if this is the last one.
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
