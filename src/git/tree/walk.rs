//! Compares two trees: lazily, in git's order, opening only subtrees that differ and may contain a
//! selected path.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::budget::Pace;
use crate::error::Result;
use crate::git::model::bytes::Bytes;
use crate::git::objects::Objects;
use crate::git::tree::entries::{TreeEntry, parse};
use crate::git::{Change, Entry, Oid, PathFilter};
use crate::limits;
use crate::text::{CancelToken, common_start};

/// An iterator over the files that differ between two trees; after an error it ends.
pub struct TreeChanges {
    objects: Objects,
    id_bytes: usize,
    paths: Arc<PathFilter>,
    /// The directories from the root to the current one.
    levels: Vec<Level>,
    /// The path of the current directory, with a trailing slash except for the root.
    path: Vec<u8>,
    pace: Pace,
}

/// A pair of directories that differ; an absent one has no entries.
struct Level {
    old: Side,
    new: Side,
    /// The length of [`TreeChanges::path`] for this directory.
    path_length: usize,
}

struct Side {
    id: Option<Oid>,
    bytes: Bytes,
    at: usize,
}

/// The first entries of a pair of directories.
enum Front {
    End,
    Same { old: usize, new: usize },
    Differs { name: Vec<u8>, change: Sides },
}

/// The found entries, and the offsets after them.
struct Sides {
    old: Option<(Entry, usize)>,
    new: Option<(Entry, usize)>,
}

impl TreeChanges {
    /// Starts the comparison of two trees, of which an absent one is empty, for the selected paths;
    /// the budget of `objects` ends it early.
    pub fn new(
        objects: Objects,
        old: Option<Oid>,
        new: Option<Oid>,
        paths: Arc<PathFilter>,
    ) -> Result<Self> {
        let mut walk = Self::idle(objects, paths);
        walk.restart(old, new)?;
        Ok(walk)
    }

    /// Returns a comparison of nothing, to be restarted.
    pub fn idle(objects: Objects, paths: Arc<PathFilter>) -> Self {
        let id_bytes = objects.hash().len_in_bytes();
        Self { objects, id_bytes, paths, levels: Vec::new(), path: Vec::new(), pace: Pace::new() }
    }

    /// Starts the comparison of other trees.
    pub fn restart(&mut self, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        self.levels.clear();
        self.path.clear();
        if old != new {
            self.enter(old, new)?;
        }
        Ok(())
    }

    fn enter(&mut self, old: Option<Oid>, new: Option<Oid>) -> Result<()> {
        if self.levels.len() > limits::TREE_DEPTH {
            let id = new.or(old).expect("one side exists");
            return Err(self
                .objects
                .bad_tree(&id, &format!("is over {} directories deep", limits::TREE_DEPTH)));
        }
        let old = self.side(old)?;
        let new = self.side(new)?;
        self.levels.push(Level { old, new, path_length: self.path.len() });
        Ok(())
    }

    fn side(&self, id: Option<Oid>) -> Result<Side> {
        let bytes = match &id {
            Some(id) => self.objects.tree(id)?,
            None => Bytes::default(),
        };
        Ok(Side { id, bytes, at: 0 })
    }

    fn step(&mut self) -> Result<Option<Change>> {
        loop {
            self.pace.entry(self.objects.budget())?;
            let Some(level) = self.levels.last_mut() else { return Ok(None) };
            self.path.truncate(level.path_length);
            level.pass_same(self.id_bytes)?;
            match front(level, self.id_bytes, &self.objects)? {
                Front::End => {
                    self.levels.pop();
                }
                Front::Same { old, new } => {
                    level.old.at = old;
                    level.new.at = new;
                }
                Front::Differs { name, change: Sides { old, new } } => {
                    let take = |side: &mut Side, found: Option<(Entry, usize)>| {
                        found.map(|(entry, next)| {
                            side.at = next;
                            entry
                        })
                    };
                    let old = take(&mut level.old, old);
                    let new = take(&mut level.new, new);
                    self.path.extend_from_slice(&name);
                    // Paired entries are both directories or both not, due to their order.
                    if old.or(new).is_some_and(|entry| entry.mode.is_directory()) {
                        self.path.push(b'/');
                        if self.paths.may_enter(&self.path) {
                            self.enter(old.map(|entry| entry.oid), new.map(|entry| entry.oid))?;
                        }
                        continue;
                    }
                    // Each side separately, as in git: a submodule matches more names than a file.
                    let is_named =
                        |entry: &Entry| self.paths.matches_in_tree(&self.path, entry.mode);
                    let (old, new) = (old.filter(is_named), new.filter(is_named));
                    if old.is_some() || new.is_some() {
                        return Ok(Some(Change::new(self.path.clone(), old, new)));
                    }
                }
            }
        }
    }
}

impl Level {
    /// Skips the leading entries that are equal byte for byte, as most are.
    fn pass_same(&mut self, id_bytes: usize) -> Result<()> {
        let (old, new) = (&self.old.bytes[self.old.at..], &self.new.bytes[self.new.at..]);
        let same = common_start(old, new, &mut CancelToken::never().pace())?;
        let mut rest = old;
        let passed = loop {
            match parse(rest, id_bytes) {
                Ok((_, after)) if old.len() - after.len() <= same => rest = after,
                _ => break old.len() - rest.len(),
            }
        };
        self.old.at += passed;
        self.new.at += passed;
        Ok(())
    }
}

/// Compares the first entries of both directories.
fn front(level: &Level, id_bytes: usize, objects: &Objects) -> Result<Front> {
    let old = peek(&level.old, id_bytes, objects)?;
    let new = peek(&level.new, id_bytes, objects)?;
    let order = match (&old, &new) {
        (None, None) => return Ok(Front::End),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some((old, _)), Some((new, _))) => old.order(new),
    };
    let (old, new) = (old.filter(|_| order.is_le()), new.filter(|_| order.is_ge()));
    if let (Some((old, old_next)), Some((new, new_next))) = (&old, &new)
        && old.is_same(new)
    {
        return Ok(Front::Same { old: *old_next, new: *new_next });
    }
    let name =
        old.as_ref().or(new.as_ref()).map(|(entry, _)| entry.name.to_vec()).unwrap_or_default();
    let found =
        |side: Option<(TreeEntry<'_>, usize)>| side.map(|(entry, next)| (entry.entry(), next));
    Ok(Front::Differs { name, change: Sides { old: found(old), new: found(new) } })
}

/// Returns the first entry of a directory and the offset after it.
fn peek<'a>(
    side: &'a Side,
    id_bytes: usize,
    objects: &Objects,
) -> Result<Option<(TreeEntry<'a>, usize)>> {
    let bytes = &side.bytes[side.at..];
    if bytes.is_empty() {
        return Ok(None);
    }
    match parse(bytes, id_bytes) {
        Ok((entry, rest)) => Ok(Some((entry, side.bytes.len() - rest.len()))),
        Err(what) => Err(objects.bad_tree(&side.id.expect("an absent side has no bytes"), what)),
    }
}

impl Iterator for TreeChanges {
    type Item = Result<Change>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            self.levels.clear();
        }
        step.transpose()
    }
}
