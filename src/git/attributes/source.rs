//! The source of a comparison's contents and attributes.

use std::sync::{Arc, OnceLock};

use super::files::AttributeFiles;
use crate::budget::Budget;
use crate::error::Result;
use crate::git::index::Index;
use crate::git::repository::Repository;

/// A repository and, if a side of the comparison needs it, its index; cheap to clone and to share
/// between threads.
#[derive(Clone)]
pub struct ContentSource {
    repository: Repository,
    index: Option<Arc<Index>>,
    /// Read once for all clones, at the first lookup.
    attributes: Arc<OnceLock<Arc<AttributeFiles>>>,
}

impl ContentSource {
    /// Returns the source of a repository, with the index if a side needs it.
    pub fn new(repository: Repository, index: Option<Arc<Index>>) -> Self {
        Self { repository, index, attributes: Arc::default() }
    }

    /// Returns the source of a history: only trees and objects.
    pub fn of_objects(repository: &Repository) -> Self {
        Self::new(repository.clone(), None)
    }

    /// Sets the budget of reading.
    #[must_use]
    pub fn with_budget(self, budget: Arc<Budget>) -> Self {
        Self { repository: self.repository.with_budget(budget), ..self }
    }

    /// Returns the repository.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Returns the index, if a side needs it.
    pub(in crate::git) fn index(&self) -> Option<&Arc<Index>> {
        self.index.as_ref()
    }

    /// Returns the attribute files.
    pub(super) fn attributes(&self) -> Result<Arc<AttributeFiles>> {
        if let Some(files) = self.attributes.get() {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(AttributeFiles::new(&self.repository, self.index())?);
        Ok(Arc::clone(self.attributes.get_or_init(|| files)))
    }
}
