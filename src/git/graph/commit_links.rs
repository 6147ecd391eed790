//! Reading the links between commits: from the commit-graph where there is one, or the commits.

use std::collections::HashSet;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::git::Oid;
use crate::git::model::bytes::Bytes;
use crate::git::model::commit::{Links, links};
use crate::git::model::id_tables::IdMap;
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

    /// Returns how far up in the history a commit stands by the commit-graph; the most where that has it not.
    pub fn height(&self, id: &Oid) -> u64 {
        self.graph.height(id).unwrap_or(u64::MAX)
    }

    /// Tells whether the commit-graph has heights, and whether they are dates.
    pub fn has_heights(&self) -> (bool, bool) {
        (!self.graph.is_empty(), self.graph.has_corrected_dates())
    }

    /// Tells whether the repository has not a commit.
    pub fn is_missing(&self, id: &Oid) -> Result<bool> {
        Ok(self.objects.header(id)?.is_none())
    }

    /// Reads a commit and its links, for who wants its message too.
    pub fn read(&self, id: &Oid) -> Result<(Links, Bytes)> {
        let bytes = self.objects.commit(id)?;
        let mut links = links(&bytes).map_err(|what| self.objects.bad_commit(id, what))?;
        if self.ends.contains(id) {
            links.parents.clear();
        }
        Ok((links, bytes))
    }
}

/// Returns a commit that is its own ancestor by the links that are known, `None` where there is none.
///
/// # Errors
/// Why the query ended.
pub fn own_ancestor(known: &IdMap<Arc<Links>>, budget: &Budget) -> Result<Option<Oid>> {
    // Whether all that a commit leads to was seen; not so while it is on the way.
    let mut seen: IdMap<bool> = IdMap::default();
    let parents = |id: &Oid| known.get(id).map_or(&[][..], |links| &links.parents);
    for start in known.keys() {
        let mut way = vec![(*start, 0)];
        while let Some((id, next)) = way.last_mut() {
            budget.check()?;
            if *next == 0 && seen.insert(*id, false) == Some(true) {
                seen.insert(*id, true);
                way.pop();
                continue;
            }
            match parents(id).get(*next) {
                Some(parent) => {
                    *next += 1;
                    match seen.get(parent) {
                        Some(false) => return Ok(Some(*parent)),
                        Some(true) => {}
                        None => way.push((*parent, 0)),
                    }
                }
                None => {
                    seen.insert(*id, true);
                    way.pop();
                }
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
    fn a_history_that_comes_back_to_a_commit_is_told_from_one_that_does_not() {
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
