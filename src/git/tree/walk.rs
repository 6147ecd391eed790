//! The bytes of a tree, entry by entry, and the comparison of two trees: lazily, in git's order,
//! opening only subtrees that differ and may contain a selected path.
//!
//! The format is git's own: `<mode in octal> <name>\0<id>`, sorted by name as if directories ended
//! in a slash (`Documentation/gitformat-pack` and `git mktree`).

use std::cmp::Ordering;
use std::sync::Arc;

use crate::model::bytes::Bytes;
use crate::model::changed_file::Mode;
use crate::objects::Objects;
use crate::{Change, Entry, Oid, PathFilter};
use redline_base::budget::Pace;
use redline_base::error::Result;
use redline_base::limits;
use redline_text::{CancelToken, common_start};

/// One entry, borrowed from its tree.
#[derive(Debug, Clone, Copy)]
pub struct TreeEntry<'a> {
    pub mode: Mode,
    pub name: &'a [u8],
    id: &'a [u8],
}

impl TreeEntry<'_> {
    /// Returns mode and id.
    pub fn entry(&self) -> Entry {
        Entry::object(self.mode, Oid::from_bytes_or_panic(self.id))
    }

    /// Orders entries as git sorts them: a directory's name ends in a slash.
    pub fn order(&self, other: &TreeEntry<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let after = |entry: &TreeEntry<'_>| {
            entry.name.get(common).copied().unwrap_or(if entry.mode.is_directory() {
                b'/'
            } else {
                0
            })
        };
        self.name[..common].cmp(&other.name[..common]).then_with(|| after(self).cmp(&after(other)))
    }
}

/// Parses the entry at the front of `bytes` and returns the rest; the error tells the defect.
pub fn parse(
    bytes: &[u8],
    id_bytes: usize,
) -> std::result::Result<(TreeEntry<'_>, &[u8]), &'static str> {
    const TORN: &str = "ends inside an entry";
    let mut mode = 0u32;
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(&digit @ b'0'..=b'7') if at < 7 => mode = mode << 3 | u32::from(digit - b'0'),
            Some(b' ') if at > 0 => break,
            Some(_) => return Err("has an entry without an octal mode"),
            None => return Err(TORN),
        }
        at += 1;
    }
    let rest = &bytes[at + 1..];
    let end = rest.iter().position(|&byte| byte == 0).ok_or(TORN)?;
    let (name, rest) = (&rest[..end], &rest[end + 1..]);
    if name.is_empty() {
        return Err("has an entry without a name");
    }
    // Such a name would read as a path in another directory.
    if name.contains(&b'/') || matches!(name, b"." | b"..") {
        return Err("has an entry whose name is a path");
    }
    let (id, rest) = rest.split_at_checked(id_bytes).ok_or(TORN)?;
    Ok((TreeEntry { mode: Mode::canonical(mode), name, id }, rest))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &str, name: &str) -> Vec<u8> {
        [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[7; 20]].concat()
    }

    #[test]
    fn a_file_beside_a_directory_of_its_name_sorts_as_git_sorts() {
        let order = |a: &[u8], b: &[u8]| parse(a, 20).unwrap().0.order(&parse(b, 20).unwrap().0);
        assert_eq!(order(&entry("100644", "a"), &entry("40000", "a")), Ordering::Less);
        assert_eq!(order(&entry("100644", "a.c"), &entry("40000", "a")), Ordering::Less);
        assert_eq!(order(&entry("100644", "a0"), &entry("40000", "a")), Ordering::Greater);
        assert_eq!(order(&entry("100644", "a"), &entry("100755", "a")), Ordering::Equal);
        assert_eq!(order(&entry("160000", "a"), &entry("100644", "a")), Ordering::Equal);
    }

    #[test]
    fn a_torn_or_forged_entry_is_an_error_and_never_a_row() {
        let whole = entry("100644", "name");
        for end in 0..whole.len() {
            assert!(parse(&whole[..end], 20).is_err(), "{end}");
        }
        assert!(parse(&whole, 32).is_err());
        for bad in [
            entry("100644", ""),
            entry("100644", "a/b"),
            entry("40000", ".."),
            entry("40000", "."),
            entry("100648", "a"),
            entry("", "a"),
            entry("77777777", "a"),
        ] {
            assert!(parse(&bad, 20).is_err(), "{bad:?}");
        }
    }
}
