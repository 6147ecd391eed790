//! Commits in the order of `git log --topo-order`: no commit before all of its children, and one
//! line of history after the other.
//!
//! git completes its walk first, to know all children. This one goes on only to the next *neck*:
//! a commit that waits in its queue alone, where no commit without parents was met so far. Each
//! commit that was met leads through its parents to the neck then, so none of them is an ancestor
//! of the neck. What was not met is, and so has none of them for a parent: all children of what was
//! met, and of the neck, are known. Where a history has no necks, the walk is completed.

use std::collections::HashMap;

use crate::Oid;
use crate::graph::walk::{History, Visited};
use redline_base::budget::{Charge, Grow, GrowMap};
use redline_base::error::Result;

/// The commits of a walk from one tip; after an error it ends.
pub struct TopologicalOrder {
    /// The walk, until it is complete.
    walk: Option<History>,
    /// Whether a commit without parents was met: not all that was met leads to a neck.
    has_root: bool,
    /// The commits that were met and not returned.
    met: HashMap<Oid, Visited>,
    /// The number of their children that were met and not returned, and that of the neck's.
    children: HashMap<Oid, u32>,
    /// The commits whose children were all returned; the last one is next.
    ready: Vec<Oid>,
    /// The number of followed parents of a merge.
    followed: usize,
    charge: Charge,
}

impl TopologicalOrder {
    /// Starts at the tip of a walk; `charge` takes the memory of the commits.
    pub fn new(mut walk: History, tip: Oid, first_parent: bool, charge: Charge) -> Self {
        walk.settle();
        Self {
            walk: Some(walk),
            has_root: false,
            met: HashMap::new(),
            children: HashMap::new(),
            ready: vec![tip],
            followed: if first_parent { 1 } else { usize::MAX },
            charge,
        }
    }

    /// Walks to the next neck.
    fn walk_on(&mut self) -> Result<()> {
        while let Some(walk) = &mut self.walk {
            let Some(commit) = walk.next_commit() else {
                self.walk = None;
                break;
            };
            let commit = commit?;
            let is_alone = walk.has_one_waiting();
            self.charge.grow(2 * size_of::<Visited>() + commit.parents.len() * size_of::<Oid>())?;
            self.has_root |= commit.parents.is_empty();
            for parent in commit.parents.iter().take(self.followed) {
                *self.children.slot(*parent).or_default() += 1;
            }
            self.met.put(commit.id, commit);
            if is_alone && !self.has_root {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Visited>> {
        while let Some(id) = self.ready.pop() {
            if !self.met.contains_key(&id) {
                self.walk_on()?;
            }
            // It may be none of the walk's.
            let Some(commit) = self.met.remove(&id) else { continue };
            for parent in commit.parents.iter().take(self.followed) {
                if let Some(children) = self.children.get_mut(parent) {
                    *children -= 1;
                    if *children == 0 {
                        self.children.remove(parent);
                        self.ready.add(*parent);
                    }
                }
            }
            return Ok(Some(commit));
        }
        Ok(None)
    }
}

impl Iterator for TopologicalOrder {
    type Item = Result<Visited>;

    fn next(&mut self) -> Option<Result<Visited>> {
        let step = self.step();
        if step.is_err() {
            self.ready.clear();
        }
        step.transpose()
    }
}
