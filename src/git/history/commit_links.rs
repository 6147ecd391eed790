//! Reading the links between commits: from the commit-graph where there is one, or the commits.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::Result;
use crate::git::Oid;
use crate::git::history::commit::{Links, links};
use crate::git::objects::Objects;
use crate::git::repository::Repository;
use crate::git::store::{Graph, shallow};

/// Reads what the walk over a history needs.
pub struct Commits {
    objects: Objects,
    graph: Arc<Graph>,
    /// Where a shallow history ends: commits whose parents are not there.
    ends: HashSet<Oid>,
}

impl Commits {
    /// Opens the commits of a repository.
    pub fn new(repository: &Repository) -> Result<Self> {
        let ends = shallow(&repository.common_dir)?;
        // Only a help. In a shallow history git does not use it either.
        let graph = if ends.is_empty() { repository.graph()? } else { Arc::default() };
        Ok(Self { objects: repository.objects(), graph, ends })
    }

    /// Tells whether the history ends where its clone says so.
    pub fn is_shallow(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Returns the links of a commit.
    pub fn links(&self, id: &Oid) -> Result<Links> {
        if let Some(links) = self.graph.links(id) {
            return Ok(links);
        }
        self.read(id).map(|(links, _)| links)
    }

    /// Tells whether the repository has not a commit.
    pub fn is_missing(&self, id: &Oid) -> Result<bool> {
        Ok(self.objects.header(id)?.is_none())
    }

    /// Reads a commit and its links, for who wants its message too.
    pub fn read(&self, id: &Oid) -> Result<(Links, Arc<Vec<u8>>)> {
        let bytes = self.objects.commit(id)?;
        let mut links = links(&bytes).map_err(|what| self.objects.bad_commit(id, what))?;
        if self.ends.contains(id) {
            links.parents.clear();
        }
        Ok((links, bytes))
    }
}
