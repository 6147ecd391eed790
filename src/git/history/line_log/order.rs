//! Commits in the order of `git log --topo-order`: no commit before all of its children, and one
//! line of history after the other.

use std::collections::HashMap;

use crate::Oid;
use crate::graph::walk::{History, Visited};
use redline_base::budget::{Charge, Gather, Grow, check_every};
use redline_base::error::Result;
use redline_text::CancelToken;

/// Commits between two checks of the budget.
const LOOK: usize = 1 << 10;

/// The commits of a walk, which is completed first.
pub struct TopologicalOrder {
    /// By id, with the number of children that were not returned yet.
    commits: HashMap<Oid, (Visited, u32)>,
    /// The commits whose children were all returned; the last one is next.
    ready: Vec<Oid>,
    /// The number of followed parents of a merge.
    followed: usize,
    _charge: Charge,
}

impl TopologicalOrder {
    /// Completes the walk.
    pub fn new(mut history: History, first_parent: bool, cancel: &CancelToken<'_>) -> Result<Self> {
        history.settle();
        let (mut found, mut charge) = (Vec::new(), Charge::free());
        while let Some(commit) = history.next_commit() {
            let commit = commit?;
            check_every(LOOK, found.len())?;
            charge.join(
                cancel
                    .charge(2 * size_of::<Visited>() + commit.parents.len() * size_of::<Oid>())?,
            );
            found.add(commit);
        }
        let followed = if first_parent { 1 } else { usize::MAX };
        let ids: Vec<Oid> = found.iter().map(|commit| commit.id).gather();
        let mut commits: HashMap<Oid, (Visited, u32)> =
            found.into_iter().map(|commit| (commit.id, (commit, 0))).gather();
        for id in &ids {
            let parents = commits.get(id).map(|(commit, _)| commit.parents.clone());
            for parent in parents.into_iter().flatten().take(followed) {
                if let Some((_, children)) = commits.get_mut(&parent) {
                    *children += 1;
                }
            }
        }
        let is_tip = |id: &Oid| commits.get(id).is_some_and(|(_, children)| *children == 0);
        let ready = ids.into_iter().rev().filter(is_tip).gather();
        Ok(Self { commits, ready, followed, _charge: charge })
    }
}

impl Iterator for TopologicalOrder {
    type Item = Visited;

    fn next(&mut self) -> Option<Visited> {
        let (commit, _) = self.commits.remove(&self.ready.pop()?)?;
        for parent in commit.parents.iter().take(self.followed) {
            if let Some((_, children)) = self.commits.get_mut(parent) {
                *children -= 1;
                if *children == 0 {
                    self.ready.add(*parent);
                }
            }
        }
        Some(commit)
    }
}
