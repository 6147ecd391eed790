//! Merge bases: the best common ancestors of two commits.
//!
//! As in git, both histories are painted downwards, newest commits first; a commit with both paints
//! is a base, and its ancestors are stale. With wrong clocks a base can be an ancestor of another,
//! so each is compared with the others in the same way. Generation numbers of a commit-graph have
//! precedence over dates.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Oid;
use crate::graph::commit_links::Commits;
use crate::model::commit::Links;
use crate::model::id_tables::{IdMap, IdSet};
use redline_base::budget::Charge;
use redline_base::error::Result;
use redline_text::CancelToken;

/// Reached from the first commit.
const FIRST: u8 = 1;
/// Reached from one of the others.
const OTHERS: u8 = 2;
/// An ancestor of a commit that is reached from both.
const STALE: u8 = 4;
/// Recorded as reached from both.
const FOUND: u8 = 8;

/// Bytes of a commit without its parents: its slots in the tables, and in the queue of a painting.
const MET_BYTES: usize = 2 * size_of::<(Oid, Links)>() + 4 * size_of::<(u64, u64, u64, Oid)>();

/// Finds merge bases; reads each commit only once.
pub struct MergeBases<'a> {
    commits: &'a Commits,
    cancel: CancelToken<'a>,
    read: ReadCommits,
}

/// The commits that were read to find merge bases.
#[derive(Debug, Default)]
pub struct ReadCommits {
    links: IdMap<Links>,
    /// Their memory.
    charge: Charge,
}

impl ReadCommits {
    /// Returns each with its links, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Oid, &Links)> {
        self.links.iter()
    }
}

/// The state of one painting.
#[derive(Default)]
struct Paint {
    commits: IdMap<Mark>,
    /// By generation if that counts, by date, then by the order of insertion.
    queue: BinaryHeap<(u64, u64, Reverse<u64>, Oid)>,
    put: u64,
    /// The number of commits in the queue that are not stale.
    fresh: usize,
}

#[derive(Default)]
struct Mark {
    flags: u8,
    /// The number of its entries in the queue.
    queued: usize,
}

impl<'a> MergeBases<'a> {
    /// Creates a finder of merge bases; `cancel` ends it early.
    pub fn new(commits: &'a Commits, cancel: CancelToken<'a>) -> Self {
        Self { commits, cancel, read: ReadCommits::default() }
    }

    /// Returns all merge bases of two commits in git's order, none if their histories are
    /// unrelated.
    pub fn of(&mut self, one: Oid, two: Oid) -> Result<Vec<Oid>> {
        self.of_merge(one, &[two])
    }

    /// Returns all merge bases of a commit and a merge of others, in git's order.
    pub fn of_merge(&mut self, one: Oid, others: &[Oid]) -> Result<Vec<Oid>> {
        if others.contains(&one) {
            return Ok(vec![one]);
        }
        let (has_heights, are_dates) = self.commits.has_heights();
        let (found, paint) = self.paint(one, others, are_dates)?;
        let mut bases = Vec::new();
        for id in found {
            if !paint.has(&id, STALE) {
                self.insert(&mut bases, id)?;
            }
        }
        if bases.len() < 2 {
            return Ok(bases);
        }
        let mut all = Vec::new();
        for id in self.without_redundant(&bases, has_heights)? {
            self.insert(&mut all, id)?;
        }
        Ok(all)
    }

    /// Returns the best common ancestors of all commits in git's order: those of `git merge-base
    /// --octopus`.
    pub fn of_all(&mut self, commits: &[Oid]) -> Result<Vec<Oid>> {
        let (has_heights, _) = self.commits.has_heights();
        let mut bases: Vec<Oid> = commits.first().copied().into_iter().collect();
        for commit in commits.iter().skip(1) {
            let mut next = Vec::new();
            for base in bases {
                for id in self.of(*commit, base)? {
                    if !next.contains(&id) {
                        next.push(id);
                    }
                }
            }
            bases = next;
        }
        self.without_redundant(&bases, has_heights)
    }

    /// Returns those of some commits, and of the commits between, that are a commit or its
    /// descendants: a history that reaches both is read down to where only its ancestors are left.
    pub fn descendants(&mut self, ancestor: Oid, tips: &[Oid]) -> Result<IdSet> {
        let (has_heights, _) = self.commits.has_heights();
        self.paint(ancestor, tips, has_heights)?;
        let mut children: IdMap<Vec<Oid>> = IdMap::default();
        for (id, links) in &self.read.links {
            self.cancel.check()?;
            let bytes = links.parents.len() * size_of::<(Oid, Vec<Oid>, Oid)>();
            self.read.charge.join(self.cancel.charge_all(bytes)?);
            for parent in &links.parents {
                children.entry(*parent).or_default().push(*id);
            }
        }
        let mut found = IdSet::from_iter([ancestor]);
        let mut next = vec![ancestor];
        while let Some(id) = next.pop() {
            self.cancel.check()?;
            let new = children.get(&id).into_iter().flatten().filter(|child| found.insert(**child));
            next.extend(new);
        }
        Ok(found)
    }

    /// Inserts a commit after those with the same date.
    fn insert(&mut self, list: &mut Vec<Oid>, id: Oid) -> Result<()> {
        let date = self.links(&id)?.date;
        let mut at = 0;
        while at < list.len() && self.links(&list[at])?.date >= date {
            at += 1;
        }
        list.insert(at, id);
        Ok(())
    }

    /// Returns the commits that were read.
    pub fn into_read(self) -> ReadCommits {
        self.read
    }

    fn links(&mut self, id: &Oid) -> Result<&Links> {
        if !self.read.links.contains_key(id) {
            let links = self.commits.links(id)?;
            let bytes = MET_BYTES + links.parents.len() * size_of::<Oid>();
            self.read.charge.join(self.cancel.charge_all(bytes)?);
            self.read.links.insert(*id, links);
        }
        Ok(&self.read.links[id])
    }

    /// Returns the commits that are not ancestors of another one.
    fn without_redundant(&mut self, commits: &[Oid], by_height: bool) -> Result<Vec<Oid>> {
        let mut is_redundant = vec![false; commits.len()];
        for index in 0..commits.len() {
            if is_redundant[index] {
                continue;
            }
            let others: Vec<usize> = (0..commits.len())
                .filter(|&other| other != index && !is_redundant[other])
                .collect();
            let ids: Vec<Oid> = others.iter().map(|&other| commits[other]).collect();
            let (_, paint) = self.paint(commits[index], &ids, by_height)?;
            is_redundant[index] = paint.has(&commits[index], OTHERS);
            for (&other, id) in others.iter().zip(&ids) {
                if paint.has(id, FIRST) {
                    is_redundant[other] = true;
                }
            }
        }
        let left = commits.iter().zip(is_redundant).filter(|(_, is_redundant)| !is_redundant);
        Ok(left.map(|(id, _)| *id).collect())
    }

    /// Paints the histories of one commit and of others, as far as they may have common commits;
    /// returns the commits reached from both, some of which may have become stale.
    fn paint(&mut self, one: Oid, others: &[Oid], by_height: bool) -> Result<(Vec<Oid>, Paint)> {
        let mut paint = Paint::default();
        let mut found = Vec::new();
        let commits = self.commits;
        let height = |id: &Oid| if by_height { commits.height(id) } else { 0 };
        paint.put(one, (height(&one), self.links(&one)?.date), FIRST);
        if others.is_empty() {
            return Ok((vec![one], paint));
        }
        for other in others {
            paint.put(*other, (height(other), self.links(other)?.date), OTHERS);
        }
        while paint.fresh > 0 {
            self.cancel.check()?;
            let Some((id, mut flags)) = paint.take() else { break };
            if flags & (FIRST | OTHERS | STALE) == FIRST | OTHERS {
                if flags & FOUND == 0 {
                    paint.commits.entry(id).or_default().flags |= FOUND;
                    self.insert(&mut found, id)?;
                }
                flags |= STALE;
            }
            let flags = flags & (FIRST | OTHERS | STALE);
            for parent in self.links(&id)?.parents.clone() {
                if !paint.has(&parent, flags) {
                    paint.put(parent, (height(&parent), self.links(&parent)?.date), flags);
                }
            }
        }
        Ok((found, paint))
    }
}

impl Paint {
    fn has(&self, id: &Oid, flags: u8) -> bool {
        self.commits.get(id).is_some_and(|mark| mark.flags & flags == flags)
    }

    /// Paints a commit and adds it to the queue.
    fn put(&mut self, id: Oid, (height, date): (u64, u64), flags: u8) {
        let mark = self.commits.entry(id).or_default();
        let was_fresh = mark.flags & STALE == 0;
        if was_fresh && flags & STALE != 0 {
            self.fresh -= mark.queued;
        }
        mark.flags |= flags;
        mark.queued += 1;
        if mark.flags & STALE == 0 {
            self.fresh += 1;
        }
        self.queue.push((height, date, Reverse(self.put), id));
        self.put += 1;
    }

    /// Removes the newest commit from the queue; returns it with its paint.
    fn take(&mut self) -> Option<(Oid, u8)> {
        let (.., id) = self.queue.pop()?;
        let mark = self.commits.get_mut(&id)?;
        mark.queued -= 1;
        if mark.flags & STALE == 0 {
            self.fresh -= 1;
        }
        Some((id, mark.flags))
    }
}
