//! Reading the links between commits: from the commit-graph where there is one, or the commits.

use std::collections::HashSet;

use gix::commitgraph::Graph;

use super::Oid;
use super::commit::{Links, links};
use super::objects::Objects;
use super::repository::Repository;
use crate::error::{Error, Result, quoted};

/// Reads what the walk over a history needs.
pub struct Commits {
    objects: Objects,
    graph: Option<Graph>,
    /// Where a shallow history ends: commits whose parents are not there.
    ends: HashSet<Oid>,
}

impl Commits {
    /// Opens the commits of a repository.
    pub fn new(repository: &Repository) -> Result<Self> {
        let objects = repository.objects();
        let ends = objects.repo.shallow_commits().map_err(|error| {
            Error::tool_failed(format!("the shallow history of {} cannot be read", quoted(&repository.given)))
                .with_source(error)
        })?;
        let ends: HashSet<Oid> = ends.iter().flat_map(|commits| commits.iter().copied()).collect();
        // Only a help: without it, or where it is damaged, the commits themselves are read. In a shallow
        // history git does not use it either.
        let graph = if ends.is_empty() { objects.repo.commit_graph_if_enabled().ok().flatten() } else { None };
        Ok(Self { objects, graph, ends })
    }

    /// Returns the links of a commit.
    pub fn links(&self, id: &Oid) -> Result<Links> {
        if let Some(links) = self.graph.as_ref().and_then(|graph| from_graph(graph, id)) {
            return Ok(links);
        }
        let mut links = links(&self.objects.commit(id)?).map_err(|what| self.objects.bad_commit(id, what))?;
        if self.ends.contains(id) {
            links.parents.clear();
        }
        Ok(links)
    }
}

/// Returns what the graph says of a commit; nothing where it has none or contradicts itself.
fn from_graph(graph: &Graph, id: &Oid) -> Option<Links> {
    let commit = graph.commit_by_id(id)?;
    let parents = commit.iter_parents().map(|parent| {
        let position = parent.ok().filter(|position| position.0 < graph.num_commits())?;
        Some(graph.id_at(position).to_owned())
    });
    let parents = parents.collect::<Option<_>>()?;
    Some(Links { tree: commit.root_tree_id().to_owned(), parents, date: commit.committer_timestamp() })
}
