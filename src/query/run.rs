//! What a query has and needs, and the start of its work: its access, time, memory and threads; the
//! data of its columns; a part of the budget, a repository and a window.

use std::sync::Arc;

use redline_base::budget::{Budget, Current, Gather, KEPT, Permits, TryGather, Weigh};
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_base::limits;
use redline_base::pipeline::{Ordered, Source, Window};
use redline_git::{Mailmap, Mailmaps, Measure, Repositories, Repository};
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
    /// The bytes of git objects to cache.
    pub cache_bytes: usize,
}

impl Context {
    /// Returns the repository to use if none is named.
    pub fn default_repository(&self) -> String {
        let only = self.access.sandboxes().and_then(Sandboxes::only);
        only.map_or(".", |only| &only.name).to_owned()
    }

    /// Opens a named repository, within the access rules.
    pub fn repository(&self, given: &str) -> Result<Repository> {
        KEPT.set_limit(self.cache_bytes);
        let repository =
            Repository::open(given, &self.access, &self.repositories, self.cache_bytes)
                .map_err(|error| self.with_repositories(error))?;
        Ok(repository.with_budget(Arc::clone(&self.budget)))
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
        error.and_hint(format!("Repositories there are: {}", found.join(", ")))
    }
}

/// Data of columns that takes time to compute. Reading and comparing contents takes nearly all the
/// time, so only data of shown columns is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The sizes of contents.
    Sizes,
    /// The contents, compared line by line.
    Lines,
    /// The content of a commit.
    Info,
    /// The names of people, which .mailmap may change.
    Names,
    /// The body of a commit's message.
    Body,
    /// The trailers of a commit's message.
    Trailers,
    /// The signature of a commit.
    Signature,
    /// The names of the references that lead to a commit.
    Refs,
    /// The notes on a commit.
    Notes,
    /// The patch of a changed file.
    Patch,
    /// The shortest unambiguous name of a reference.
    Short,
    /// The commit that a reference points to, through tags.
    Commit,
    /// The time of that commit.
    Committed,
    /// The message of the object that a reference points to.
    Message,
    /// The upstream of a branch.
    Upstream,
    /// The numbers of commits that only a branch or its upstream has.
    Distance,
    /// The fields of a changed file besides its path and its status.
    Details,
    /// The patch id of a commit.
    PatchId,
    /// The ids of hunks.
    HunkId,
}

/// A set of needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs(u32);

impl Needs {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Returns the set of some needs.
    pub const fn of(needs: &[Need]) -> Self {
        let (mut set, mut at) = (Self::NONE, 0);
        while at < needs.len() {
            set = set.and(Self(1 << needs[at] as u32));
            at += 1;
        }
        set
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Tells whether a need is in the set.
    pub fn has(self, need: Need) -> bool {
        self.has_any(&[need])
    }

    /// Tells whether one of several needs is in the set.
    pub fn has_any(self, needs: &[Need]) -> bool {
        self.0 & Self::of(needs).0 != 0
    }

    /// Returns the needed measurements of a changed file.
    pub fn measure(self) -> Measure {
        Measure { sizes: self.has(Need::Sizes), lines: self.has(Need::Lines) }
    }

    /// Reads the selected mailmaps of a repository, if names are needed.
    pub fn mailmap(
        self,
        repository: &Repository,
        asked: &Mailmaps,
    ) -> Result<Option<Arc<Mailmap>>> {
        let is_read = asked.is_any() && self.has(Need::Names);
        is_read.then(|| asked.read(repository).map(Arc::new)).transpose()
    }

    /// Tells whether the set has other needs than one.
    pub fn has_more_than(self, need: Need) -> bool {
        self.0 & !Self::of(&[need]).0 != 0
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_in() {
        let set = Needs::of(&[Need::Refs]).and(Needs::of(&[Need::Sizes, Need::Details]));
        assert!(set.has(Need::Refs) && set.has(Need::Sizes) && !set.has(Need::Lines));
        assert!(set.has_any(&[Need::Lines, Need::Details]) && set.has_more_than(Need::Refs));
        assert!(!Needs::of(&[Need::Refs]).has_more_than(Need::Refs));
        assert!(!Needs::NONE.has(Need::Sizes) && !Needs::NONE.has_more_than(Need::Sizes));
    }
}
