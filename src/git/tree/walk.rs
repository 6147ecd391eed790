//! The bytes of a tree, entry by entry, and the comparison of two trees: lazily, in git's order,
//! opening only subtrees that differ and may contain a selected path.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::model::bytes::Bytes;
use crate::model::tree_entry::{TreeEntry, parse};
use crate::objects::Objects;
use crate::{Change, Entry, Oid, PathFilter};
use redline_base::budget::Pace;
use redline_base::error::Result;
use redline_base::limits;
use redline_text::{CancelToken, common_start};

/// An iterator over the files that differ between two trees; after an error it ends.
pub struct TreeChanges {
    objects: Objects,
    paths: Arc<PathFilter>,
    is_known: Option<IsKnown>,
    /// The directories from the root to the current one.
    levels: Vec<Level>,
    /// The path of the current directory, with a trailing slash except for the root.
    path: Vec<u8>,
    pace: Pace,
}

/// Tells whether the content of a directory, by its path with a trailing slash and its tree, is
/// known to the caller.
pub type IsKnown = Box<dyn Fn(&[u8], Oid) -> bool + Send>;

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

/// The first entries of a pair of directories; of two names only the one that sorts first.
struct Front {
    name: Vec<u8>,
    old: Option<Entry>,
    new: Option<Entry>,
}

impl TreeChanges {
    /// Returns the reader of the trees.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

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
        Self {
            objects,
            paths,
            is_known: None,
            levels: Vec::new(),
            path: Vec::new(),
            pace: Pace::new(),
        }
    }

    /// Returns added directories whose content is known as one change each, instead of their files;
    /// their paths end in a slash.
    pub fn with_known(mut self, is_known: IsKnown) -> Self {
        self.is_known = Some(is_known);
        self
    }

    /// Starts the comparison of other trees, and returns it.
    pub fn restart(&mut self, old: Option<Oid>, new: Option<Oid>) -> Result<&mut Self> {
        self.levels.clear();
        self.path.clear();
        if old != new {
            self.enter(old, new)?;
        }
        Ok(self)
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
            level.pass_same(&self.objects)?;
            let Some(Front { name, old, new }) = level.take(&self.objects)? else {
                self.levels.pop();
                continue;
            };
            if old == new {
                continue;
            }
            self.path.extend_from_slice(&name);
            // Paired entries are both directories or both not, due to their order.
            if old.or(new).is_some_and(|entry| entry.mode.is_directory()) {
                self.path.push(b'/');
                if self.paths.may_enter(&self.path) {
                    if let (None, Some(new), Some(is_known)) = (old, new, &self.is_known)
                        && is_known(&self.path, new.oid)
                    {
                        return Ok(Some(Change::new(self.path.clone(), None, Some(new))));
                    }
                    self.enter(old.map(|entry| entry.oid), new.map(|entry| entry.oid))?;
                }
                continue;
            }
            // Each side separately, as in git: a submodule matches more names than a file.
            let is_named = |entry: &Entry| self.paths.matches_in_tree(&self.path, entry.mode);
            let (old, new) = (old.filter(is_named), new.filter(is_named));
            if old.is_some() || new.is_some() {
                return Ok(Some(Change::new(self.path.clone(), old, new)));
            }
        }
    }
}

impl Level {
    /// Skips the leading entries that are equal byte for byte, as most are.
    fn pass_same(&mut self, objects: &Objects) -> Result<()> {
        let (old, new) = (&self.old.bytes[self.old.at..], &self.new.bytes[self.new.at..]);
        let same = common_start(old, new, &mut CancelToken::never().pace())?;
        let (mut rest, id_bytes) = (old, objects.hash().len_in_bytes());
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

    /// Takes the first entries of both directories; `None` at their end.
    fn take(&mut self, objects: &Objects) -> Result<Option<Front>> {
        let old = peek(&self.old, objects)?;
        let new = peek(&self.new, objects)?;
        let order = match (&old, &new) {
            (None, None) => return Ok(None),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((old, _)), Some((new, _))) => old.order(new),
        };
        let (old, new) = (old.filter(|_| order.is_le()), new.filter(|_| order.is_ge()));
        let name = old.or(new).map(|(entry, _)| entry.name.to_vec()).unwrap_or_default();
        let [old_end, new_end] = [old, new].map(|side| side.map(|(_, end)| end));
        let [old, new] = [old, new].map(|side| side.map(|(entry, _)| entry.entry()));
        self.old.at = old_end.unwrap_or(self.old.at);
        self.new.at = new_end.unwrap_or(self.new.at);
        Ok(Some(Front { name, old, new }))
    }
}

/// Returns the first entry of a directory and the offset after it.
fn peek<'a>(side: &'a Side, objects: &Objects) -> Result<Option<(TreeEntry<'a>, usize)>> {
    let bytes = &side.bytes[side.at..];
    if bytes.is_empty() {
        return Ok(None);
    }
    match parse(bytes, objects.hash().len_in_bytes()) {
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
