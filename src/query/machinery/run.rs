//! What a query has and needs, and the start of its work: its access, time, memory and threads; the
//! data of its columns; a part of the budget, a repository and a window.

use std::sync::Arc;

use redline_base::budget::{Budget, Current, Gather, Joined, KEPT, Permits, TryGather, Weigh};
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_base::limits::{self, HostLimits};
use redline_base::pipeline::{Ordered, Source, Window};
use redline_git::{Mailmap, Mailmaps, Measure, Repositories, Repository};
use redline_rows::{Need, Needs};
use redline_sandbox::{Access, Sandboxes, read_restricted};
use redline_text::CancelToken;

/// The access, the budget and the limits of one execution.
#[derive(Clone)]
pub struct Context {
    /// The access rules.
    pub access: Arc<Access>,
    /// The budget of the query.
    pub budget: Arc<Budget>,
    /// The number of threads, at least one.
    pub threads: usize,
    /// The cache of repositories.
    pub repositories: Arc<Repositories>,
    /// The limits that the host has set.
    pub host_limits: HostLimits,
}

impl Context {
    /// Returns the repository to use if none is named.
    pub fn default_repository(&self) -> String {
        let only = self.access.sandboxes().and_then(Sandboxes::only);
        only.map_or(".", |only| &only.name).to_owned()
    }

    /// Opens a named repository, within the access rules.
    pub fn repository(&self, given: &str) -> Result<Repository> {
        let cache_bytes = usize::try_from(self.host_limits.cache_bytes).unwrap_or(usize::MAX);
        KEPT.set_limit(cache_bytes);
        let repository = Repository::open(given, &self.access, &self.repositories, cache_bytes)
            .map_err(|error| self.with_repositories(error))?;
        Ok(repository.with_budget(Arc::clone(&self.budget)).with_threads(self.threads))
    }

    /// Runs `work`, which reads a repository, on a thread that can open only what may be read.
    pub fn read<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        read_restricted(&self.access, || {
            let _current = Current::enter(&self.budget);
            work()
        })
    }

    /// Adds the existing repositories to the error of a missing one.
    fn with_repositories(&self, error: Error) -> Error {
        let is_missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::FsDenied);
        let found = match self.access.sandboxes() {
            Some(sandboxes) if is_missing => sandboxes.repositories(limits::SURVEY_REPOSITORIES),
            _ => Vec::new(),
        };
        if found.is_empty() {
            return error;
        }
        let found: Vec<String> = found.iter().map(|name| quoted(name)).gather();
        error.and_hint(format!("Repositories there are: {}", found.joined(", ")))
    }
}

/// Returns the measurements of a changed file that columns need.
pub fn measure_of(needs: Needs) -> Measure {
    Measure { sizes: needs.has(Need::Sizes), lines: needs.has(Need::Lines) }
}

/// Reads the selected mailmaps of a repository, if names are needed.
pub fn mailmap_of(
    needs: Needs,
    repository: &Repository,
    asked: &Mailmaps,
) -> Result<Option<Arc<Mailmap>>> {
    let is_read = asked.is_any() && needs.has(Need::Names);
    is_read.then(|| asked.read(repository).map(Arc::new)).transpose()
}

/// Work that is about to start.
pub struct Run {
    /// The repository, whose reads count for this work.
    pub repository: Repository,
    /// The budget of the work; dropping its rows cancels it.
    pub budget: Arc<Budget>,
    /// The permits for its threads.
    pub permits: Permits,
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
        let permits = Permits::take(context.threads.min(threads));
        Self { repository, budget, permits }
    }

    /// Starts a thread for each worker that `make` returns, with the restrictions of this one; they
    /// take the jobs of `source`.
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
            Ok::<_, Error>(move |job| work(job, &CancelToken::of(&budget)))
        };
        let workers = (0..self.permits.count()).map(worker).try_gather()?;
        Ordered::start(source, workers, window, self.budget, self.permits)
    }
}
