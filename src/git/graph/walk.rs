//! The commits of a range in the order of `git log`: newest first, by commit time.
//!
//! As in git, the order is that of a queue: a commit is met after one of its children, so that one
//! with a later clock than its child's still comes after it, and of commits of the same second the
//! one met first comes first. Without exclusions the walk streams; otherwise it must continue until
//! the queue holds only excluded commits. Commits are returned before that, so that they can be
//! compared meanwhile; those that are excluded later are listed in [`Excluded`].

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::graph::commit_links::Commits;
use crate::graph::merge_base::ReadCommits;
use crate::graph::simplify::Simplify;
use crate::model::bytes::Bytes;
use crate::model::commit::Links;
use crate::model::id_tables::{IdMap, IdSet};
use crate::repository::Repository;
use crate::{Oid, Pathspec};
use redline_base::budget::{Budget, Charge, Pace};
use redline_base::error::{Error, Result};

/// How commits with several parents are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merges {
    /// Omits them: `--no-merges`.
    #[default]
    Skip,
    /// Compares them with their first parent: `--diff-merges=first-parent`.
    FirstParent,
    /// Compares them with each of their parents: `-m`.
    AllParents,
}

/// Options of the walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HistoryOptions {
    /// How merges are shown.
    pub merges: Merges,
    /// Only commits of this time or later, in microseconds since 1970: `--since`.
    pub since: Option<i64>,
    /// Only commits of this time or earlier: `--until`.
    pub until: Option<i64>,
    /// Whether only the first parent of a merge is followed: `--first-parent`.
    pub first_parent: bool,
}

impl HistoryOptions {
    fn is_too_old(&self, date: u64) -> bool {
        self.since.is_some_and(|since| micros(date) < i128::from(since))
    }

    /// Tells whether a commit of this date is newer than those requested.
    pub(crate) fn is_too_new(&self, date: u64) -> bool {
        self.until.is_some_and(|until| micros(date) > i128::from(until))
    }
}

/// Returns a time of commits in microseconds.
pub(crate) fn micros(seconds: u64) -> i128 {
    i128::from(seconds) * 1_000_000
}

/// The ends of a range: commits reachable from the tips, but not from the hidden ones.
#[derive(Debug, Clone, Default)]
pub struct RevRange {
    /// The starting points of the walk.
    pub tips: Vec<Oid>,
    /// The excluded commits.
    pub hidden: Vec<Oid>,
    /// The commits read to find these ends: all ancestors of excluded ones are known to be
    /// excluded.
    pub read: Arc<ReadCommits>,
}

impl RevRange {
    /// Returns a string that identifies the commits of the range's ends.
    pub fn state(&self) -> String {
        format!("{:?} {:?}", self.tips, self.hidden)
    }
}

/// A commit of the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visited {
    /// The commit's id.
    pub id: Oid,
    /// The id of its tree.
    pub tree: Oid,
    /// Its parents in order; none at the end of a shallow history.
    pub parents: Vec<Oid>,
    /// The commit itself, where the walk has read it and its content was asked for.
    pub content: Option<Bytes>,
}

/// A commit and the parents to compare it with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparable {
    /// The commit's id.
    pub id: Oid,
    /// The id of its tree.
    pub tree: Oid,
    /// The parents to compare with, each with its tree; without one it is compared with the empty
    /// tree.
    pub parents: Vec<(Oid, Oid)>,
}

/// An iterator over the commits of a range; after an error it ends. Commits returned before the
/// walk has ended may be excluded later.
pub struct History {
    commits: Commits,
    options: HistoryOptions,
    known: IdMap<Known>,
    hidden: IdSet,
    /// The commits that the range excludes by name.
    bottoms: IdSet,
    /// By date, then by the order in which they were met.
    queue: BinaryHeap<(u64, Reverse<u64>, Oid)>,
    met: u64,
    /// The state of a walk with hidden commits, until it has ended.
    limit: Option<Limit>,
    /// The commits that such a walk has found and not returned.
    found: VecDeque<Oid>,
    /// The commits returned before it had ended.
    given: Vec<Oid>,
    /// The error that ended it.
    failed: Option<Error>,
    excluded: Arc<Excluded>,
    simplify: Option<Simplify>,
    /// How many more contents may be kept until their commits are returned; `None` for none ever.
    room: Option<usize>,
    /// The memory of the commits that were met.
    charge: Charge,
}

/// The returned commits that were excluded later; unset until the walk has ended.
pub type Excluded = OnceLock<IdSet>;

/// Decides when a walk with hidden commits ends.
struct Limit {
    /// The date of the last found commit.
    last: u64,
    /// The number of further commits to check.
    slop: usize,
    /// A commit in the queue that was not hidden when last checked.
    interesting: Option<Oid>,
}

/// A commit that was met.
struct Known {
    tree: Oid,
    date: u64,
    parents: Vec<Oid>,
    is_queued: bool,
    content: Option<Bytes>,
}

/// Bytes of a commit without its parents: its slots in the tables, the queue and the found commits.
const MET_BYTES: usize = 2 * size_of::<(Oid, Known)>() + 4 * size_of::<(u64, u64, Oid)>();

/// The number of commits that git checks after the last relevant one, as clocks may be wrong.
const SLOP: usize = 5;

impl History {
    /// Starts the walk.
    pub fn new(repository: &Repository, ends: &RevRange, options: HistoryOptions) -> Result<Self> {
        let mut history = Self {
            commits: Commits::new(repository)?,
            options,
            known: IdMap::default(),
            hidden: ends.hidden.iter().copied().collect(),
            bottoms: ends.hidden.iter().copied().collect(),
            queue: BinaryHeap::new(),
            met: 0,
            limit: None,
            found: VecDeque::new(),
            given: Vec::new(),
            failed: None,
            excluded: Arc::default(),
            simplify: None,
            room: None,
            charge: repository.budget().charge(0)?,
        };
        for id in ends.hidden.iter().chain(&ends.tips) {
            history.enqueue(id)?;
        }
        if !ends.hidden.is_empty() {
            for (id, links) in ends.read.iter() {
                if !history.known.contains_key(id) {
                    history.know(*id, links.clone(), None)?;
                }
            }
        }
        // As in git: the parents that decide on a merge depend on the commits known to be hidden
        // when it is met.
        for id in &ends.hidden {
            history.hide_parents(id)?;
        }
        if history.hidden.is_empty() {
            history.finish();
        } else {
            history.limit = Some(Limit { last: u64::MAX, slop: SLOP, interesting: None });
        }
        Ok(history)
    }

    /// Omits commits that change none of the given paths, and follows one parent of a merge that
    /// has the same files: git's default simplification.
    ///
    /// # Errors
    /// `invalid_args` for a path that leads out of the repository.
    pub fn with_paths(self, repository: &Repository, paths: &[Pathspec]) -> Result<Self> {
        if paths.is_empty() {
            return Ok(self);
        }
        let bottoms = self.bottoms.clone();
        let simplify = Simplify::new(repository, paths, bottoms)?;
        Ok(Self { simplify: Some(simplify), ..self })
    }

    /// Returns commits with their content, where it was read for the walk anyway: nobody has to look
    /// it up and inflate it again. At most so many are kept at a time until they are returned.
    #[must_use]
    pub fn with_content(self, most: usize) -> Self {
        Self { room: Some(most), ..self }
    }

    /// Returns the set of commits that were returned too early.
    pub fn excluded(&self) -> Arc<Excluded> {
        Arc::clone(&self.excluded)
    }

    /// Tells whether returned commits may still be excluded.
    pub fn is_open(&self) -> bool {
        self.limit.is_some()
    }

    /// Tells whether the walk leaves nothing out, by an exclusion or a time, and a single commit waits
    /// in its queue: of this one, all that was not met is an ancestor.
    pub(crate) fn has_one_waiting(&self) -> bool {
        self.hidden.is_empty() && self.options.since.is_none() && self.queue.len() == 1
    }

    /// Walks for some time without returning commits, unless the walk with hidden commits has
    /// ended.
    pub fn walk_on(&mut self, time: Duration) {
        let start = Instant::now();
        while self.limit.is_some() && start.elapsed() < time {
            self.walk();
        }
    }

    /// Walks until all hidden commits are known, and returns them.
    pub fn into_hidden(mut self) -> Result<IdSet> {
        self.settle();
        self.failed.take().map_or(Ok(self.hidden), Err)
    }

    /// Walks until all hidden commits are known.
    pub fn settle(&mut self) {
        while self.limit.is_some() {
            self.walk();
        }
    }

    /// Reads a commit that was not met before.
    fn load(&mut self, id: &Oid) -> Result<()> {
        if !self.known.contains_key(id) {
            let (links, content) = self.commits.links_and_content(id)?;
            let content = match &mut self.room {
                Some(room) if content.is_some() && *room > 0 => {
                    *room -= 1;
                    content
                }
                _ => None,
            };
            self.know(*id, links, content)?;
        }
        Ok(())
    }

    /// Adds a commit that was not met before.
    fn know(&mut self, id: Oid, links: Links, content: Option<Bytes>) -> Result<()> {
        let Links { tree, parents, date } = links;
        self.charge.grow(MET_BYTES + parents.len() * size_of::<Oid>())?;
        self.known.insert(id, Known { tree, date, parents, is_queued: false, content });
        Ok(())
    }

    /// Takes the content of a commit that is returned, or that never will be.
    fn content_of(&mut self, id: &Oid) -> Option<Bytes> {
        let room = self.room.as_mut()?;
        let content = self.known.get_mut(id)?.content.take()?;
        *room += 1;
        Some(content)
    }

    /// Takes the next commit from the queue.
    fn pop(&mut self) -> Result<Option<(u64, Oid)>> {
        self.commits.budget().check()?;
        Ok(self.queue.pop().map(|(date, _, id)| (date, id)))
    }

    /// Reads a commit and adds it to the queue, unless it was there before.
    fn enqueue(&mut self, id: &Oid) -> Result<()> {
        self.load(id)?;
        if let Some(known) = self.known.get_mut(id)
            && !std::mem::replace(&mut known.is_queued, true)
        {
            self.queue.push((known.date, Reverse(self.met), *id));
            self.met += 1;
        }
        Ok(())
    }

    /// Adds a hidden commit to the queue; it may be missing, as in git.
    fn enqueue_hidden(&mut self, id: &Oid) -> Result<()> {
        match self.enqueue(id) {
            Err(_) if self.commits.is_missing(id)? => Ok(()),
            read => read,
        }
    }

    /// Returns the next commit of a walk without hidden commits; skips those that are too old.
    fn streamed(&mut self) -> Result<Option<Visited>> {
        while let Some((date, id)) = self.pop()? {
            let content = self.content_of(&id);
            // git stops at a commit that is too old: its ancestors are usually older.
            if self.options.is_too_old(date) {
                continue;
            }
            let parents = self
                .known
                .get_mut(&id)
                .map(|known| std::mem::take(&mut known.parents))
                .unwrap_or_default();
            self.follow(&id, &parents)?;
            if let Some(shown) = self.shown(id, parents) {
                return Ok(Some(Visited { content, ..shown }));
            }
        }
        Ok(None)
    }

    /// Adds the parents to follow to the queue.
    fn follow(&mut self, id: &Oid, parents: &[Oid]) -> Result<()> {
        if let Some(mut simplify) = self.simplify.take() {
            let (new, first_parent) = (self.tree_of(id), self.options.first_parent);
            let look = |parent: &Oid, is_read: bool| {
                if is_read {
                    self.load(parent)?;
                }
                Ok((self.hidden.contains(parent), self.tree_of(parent)))
            };
            let only = simplify.only_parent((id, new), parents, first_parent, look);
            self.simplify = Some(simplify);
            if let Some(only) = only? {
                if let Some(known) = self.known.get_mut(id) {
                    // As in git: commits are hidden later only along this path.
                    known.parents = vec![only];
                }
                return self.enqueue(&only);
            }
        }
        let followed = if self.options.first_parent { 1 } else { parents.len() };
        parents.iter().take(followed).try_for_each(|parent| self.enqueue(parent))
    }

    /// Returns a commit if it is to be shown.
    fn shown(&self, id: Oid, parents: Vec<Oid>) -> Option<Visited> {
        let known = self.known.get(&id)?;
        if self.options.is_too_new(known.date)
            || (parents.len() > 1 && self.options.merges == Merges::Skip)
            || self.simplify.as_ref().is_some_and(|simplify| simplify.is_same(&id))
        {
            return None;
        }
        Some(Visited { id, tree: known.tree, parents, content: None })
    }

    /// Returns the tree of a commit that was met.
    pub(crate) fn tree_of(&self, id: &Oid) -> Option<Oid> {
        self.known.get(id).map(|known| known.tree)
    }

    /// Returns the date of a commit that was met, else 0.
    pub(super) fn date_of(&self, id: &Oid) -> u64 {
        self.known.get(id).map_or(0, |known| known.date)
    }

    /// Returns the budget of the walk.
    pub(super) fn budget(&self) -> &Budget {
        self.commits.budget()
    }

    /// Returns a commit with the parents to compare it with.
    fn comparable(&mut self, visited: Visited) -> Result<Comparable> {
        let Visited { id, tree, parents, .. } = visited;
        let compared = if self.options.merges == Merges::AllParents { parents.len() } else { 1 };
        let with_tree = |parent: Oid| match self.tree_of(&parent) {
            Some(tree) => Ok((parent, tree)),
            // One that is not followed is not met by being compared.
            None => Ok((parent, self.commits.links(&parent)?.tree)),
        };
        let parents = parents.into_iter().take(compared).map(with_tree).collect::<Result<_>>()?;
        Ok(Comparable { id, tree, parents })
    }

    /// Finds a commit that is not hidden so far, or ends the walk.
    fn walk(&mut self) {
        let Some(mut limit) = self.limit.take() else { return };
        match self.find(&mut limit) {
            Ok(Some(id)) => {
                self.found.push_back(id);
                self.limit = Some(limit);
                return;
            }
            Ok(None) => {}
            Err(error) => self.failed = Some(error),
        }
        self.finish();
    }

    /// Sets the commits that were returned and are hidden.
    fn finish(&mut self) {
        let hidden =
            std::mem::take(&mut self.given).into_iter().filter(|id| self.hidden.contains(id));
        let _ = self.excluded.set(hidden.collect());
    }

    /// Returns the next commit that is not hidden so far; `None` if only hidden ones remain.
    fn find(&mut self, limit: &mut Limit) -> Result<Option<Oid>> {
        while let Some((date, id)) = self.pop()? {
            if limit.interesting == Some(id) {
                limit.interesting = None;
            }
            if self.options.is_too_old(date) {
                self.hidden.insert(id);
            }
            let parents =
                self.known.get(&id).map(|known| known.parents.clone()).unwrap_or_default();
            if self.hidden.contains(&id) {
                self.content_of(&id);
                self.hide(parents.clone())?;
                for parent in &parents {
                    self.enqueue_hidden(parent)?;
                    self.hide_parents(parent)?;
                }
                let Some((next, ..)) = self.queue.peek() else { break };
                if limit.last > *next {
                    limit.interesting =
                        limit.interesting.filter(|id| !self.hidden.contains(id)).or_else(|| {
                            self.queue
                                .iter()
                                .map(|(.., id)| *id)
                                .find(|id| !self.hidden.contains(id))
                        });
                    limit.slop = if limit.interesting.is_some() { SLOP } else { limit.slop - 1 };
                    if limit.slop == 0 {
                        break;
                    }
                } else {
                    limit.slop = SLOP;
                }
                continue;
            }
            self.follow(&id, &parents)?;
            if !self.options.is_too_new(date) {
                limit.last = date;
                return Ok(Some(id));
            }
            self.content_of(&id);
        }
        Ok(None)
    }

    /// Hides the parents of a commit, as far as they are known.
    fn hide_parents(&mut self, id: &Oid) -> Result<()> {
        self.hide(self.known.get(id).map(|known| known.parents.clone()).unwrap_or_default())
    }

    /// Hides commits and their known ancestors.
    fn hide(&mut self, mut ids: Vec<Oid>) -> Result<()> {
        let mut pace = Pace::new();
        while let Some(id) = ids.pop() {
            pace.entry(self.commits.budget())?;
            if self.hidden.insert(id)
                && let Some(known) = self.known.get(&id)
            {
                ids.extend(&known.parents);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<Visited>> {
        if self.hidden.is_empty() {
            return self.streamed();
        }
        loop {
            while self.found.is_empty() && self.limit.is_some() {
                self.walk();
            }
            let Some(id) = self.found.pop_front() else {
                return self.failed.take().map_or(Ok(None), Err);
            };
            let content = self.content_of(&id);
            // It may have been hidden since it was found.
            if !self.hidden.contains(&id)
                && let Some(known) = self.known.get(&id)
                && let Some(shown) = self.shown(id, known.parents.clone())
            {
                if self.limit.is_some() {
                    self.given.push(id);
                }
                return Ok(Some(Visited { content, ..shown }));
            }
        }
    }
}

impl History {
    /// Returns the next commit without its parents' trees.
    pub fn next_commit(&mut self) -> Option<Result<Visited>> {
        let step = self.step();
        if step.is_err() {
            self.queue.clear();
        }
        step.transpose()
    }
}

impl Iterator for History {
    type Item = Result<Comparable>;

    fn next(&mut self) -> Option<Self::Item> {
        let visited = self.next_commit()?;
        Some(visited.and_then(|visited| self.comparable(visited)))
    }
}
