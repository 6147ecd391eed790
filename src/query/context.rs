//! The context of a query: its access, time, memory and threads.

use std::sync::Arc;

use crate::budget::{Budget, Current, KEPT};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::{Repositories, Repository};
use crate::limits;
use crate::sandbox::{Access, Sandbox, Sandboxes, read_restricted};

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
        only.map_or(".", Sandbox::name).to_owned()
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
        let found: Vec<String> = found.iter().map(|name| quoted(name)).collect();
        error.and_hint(format!("Repositories there are: {}", found.join(", ")))
    }
}
