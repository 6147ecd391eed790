//! Reads the links between commits: from the commit-graph if there is one, else from the commits.

use std::collections::HashSet;
use std::sync::Arc;

use crate::Oid;
use crate::model::bytes::Bytes;
use crate::model::commit::{Links, links};
use crate::model::id_tables::IdMap;
use crate::objects::Objects;
use crate::repository::Repository;
use crate::store::{Graph, shallow};
use redline_base::budget::Budget;
use redline_base::error::Result;

/// Reads the links that a walk over a history needs.
pub struct Commits {
    objects: Objects,
    graph: Arc<Graph>,
    /// The ends of a shallow history: commits whose parents are missing.
    ends: HashSet<Oid>,
}

impl Commits {
    /// Returns the budget of reading them.
    pub fn budget(&self) -> &Budget {
        self.objects.budget()
    }

    /// Opens the commits of a repository.
    pub fn new(repository: &Repository) -> Result<Self> {
        let ends = shallow(&repository.location.common_dir)?;
        // An optimisation; like git, not used in a shallow history.
        let graph = if ends.is_empty() { repository.graph()? } else { Arc::default() };
        Ok(Self { objects: repository.objects(), graph, ends })
    }

    /// Tells whether the repository is a shallow clone.
    pub fn is_shallow(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Returns the links of a commit.
    pub fn links(&self, id: &Oid) -> Result<Links> {
        self.links_and_content(id).map(|(links, _)| links)
    }

    /// Returns the links of a commit, and the commit itself if they are not in the commit-graph.
    pub fn links_and_content(&self, id: &Oid) -> Result<(Links, Option<Bytes>)> {
        if let Some(links) = self.graph.links(id) {
            return Ok((links, None));
        }
        self.read(id).map(|(links, content)| (links, Some(content)))
    }

    /// Returns the generation number of a commit in the commit-graph; the maximum if it is not
    /// there.
    pub fn height(&self, id: &Oid) -> u64 {
        self.graph.height(id).unwrap_or(u64::MAX)
    }

    /// Tells whether the commit-graph has generation numbers, and whether they are corrected dates.
    pub fn has_heights(&self) -> (bool, bool) {
        (!self.graph.is_empty(), self.graph.has_corrected_dates())
    }

    /// Tells whether a commit is missing.
    pub fn is_missing(&self, id: &Oid) -> Result<bool> {
        Ok(self.objects.header(id)?.is_none())
    }

    /// Reads a commit and its links, for callers that need its message too.
    pub fn read(&self, id: &Oid) -> Result<(Links, Bytes)> {
        let bytes = self.objects.commit(id)?;
        let mut links = links(&bytes).map_err(|what| self.objects.bad_commit(id, what))?;
        if self.ends.contains(id) {
            links.parents.clear();
        }
        Ok((links, bytes))
    }
}

/// Returns a commit that is its own ancestor in the known links, `None` if there is none.
///
/// # Errors
/// The reason why the query ended.
pub fn own_ancestor(known: &IdMap<Arc<Links>>, budget: &Budget) -> Result<Option<Oid>> {
    // Whether all ancestors of a commit were visited; false while it is on the current path.
    let mut seen: IdMap<bool> = IdMap::default();
    let parents = |id: &Oid| known.get(id).map_or(&[][..], |links| &links.parents);
    for start in known.keys() {
        let mut way = vec![(*start, 0)];
        while let Some((id, next)) = way.last_mut() {
            budget.check()?;
            let was_visited = *next == 0 && seen.insert(*id, false) == Some(true);
            let Some(parent) = parents(id).get(*next).filter(|_| !was_visited) else {
                seen.insert(*id, true);
                way.pop();
                continue;
            };
            *next += 1;
            match seen.get(parent) {
                Some(false) => return Ok(Some(*parent)),
                Some(true) => {}
                None => way.push((*parent, 0)),
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(links: &[(u8, &[u8])]) -> IdMap<Arc<Links>> {
        let id = |number: u8| Oid::Sha1([number; 20]);
        let links = links.iter().map(|&(commit, parents)| {
            let parents = parents.iter().map(|&parent| id(parent)).collect();
            let tree = Oid::empty_tree(gix::hash::Kind::Sha1);
            (id(commit), Arc::new(Links { tree, parents, date: 0 }))
        });
        links.collect()
    }

    #[test]
    fn a_history_that_reaches_a_commit_again_is_recognised() {
        for (links, is_circle) in [
            (&[][..], false),
            (&[(1, &[2][..]), (2, &[3])], false),
            (&[(1, &[2, 3]), (2, &[4]), (3, &[4]), (4, &[])], false),
            (&[(1, &[1])], true),
            (&[(1, &[2]), (2, &[3, 4]), (3, &[5]), (4, &[1])], true),
            (&[(9, &[1]), (1, &[2]), (2, &[1])], true),
        ] {
            let found = own_ancestor(&known(links), &Budget::default()).unwrap();
            assert_eq!(found.is_some(), is_circle, "{links:?}");
        }
    }
}
