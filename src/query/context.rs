//! What a query works with: what it may read, and how much time, memory and threads it may use.

use std::sync::Arc;

use crate::budget::{Budget, Current, KEPT};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::{Repositories, Repository};
use crate::limits;
use crate::sandbox::{Access, Sandbox, Sandboxes, read_restricted};

/// The access, the budget and the limits of one execution.
#[derive(Clone)]
pub struct Context {
    /// What may be read and written.
    pub access: Arc<Access>,
    /// What the query may use.
    pub budget: Arc<Budget>,
    /// How many threads it may use: at least one.
    pub threads: usize,
    /// The repositories that stay open from one query to the next.
    pub repositories: Arc<Repositories>,
    /// How many bytes of git objects are kept in memory.
    pub cache_bytes: usize,
}

impl Context {
    /// Returns the repository that is meant when none is named.
    pub fn default_repository(&self) -> String {
        let only = self.access.sandboxes().and_then(Sandboxes::only);
        only.map_or(".", Sandbox::name).to_owned()
    }

    /// Opens the repository that was named, within what may be opened.
    pub fn repository(&self, given: &str) -> Result<Repository> {
        KEPT.set_limit(self.cache_bytes);
        let repository =
            Repository::open(given, &self.access, &self.repositories, self.cache_bytes)
                .map_err(|error| self.with_repositories(error))?;
        Ok(repository.with_budget(Arc::clone(&self.budget)))
    }

    /// Runs `work`, which reads a repository, on a thread that can open nothing outside of what may be read.
    pub fn read<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        read_restricted(&self.access, || {
            let _current = Current::enter(&self.budget);
            work()
        })
    }

    /// Adds the repositories that there are to the error for one that is missing.
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
