//! All references, sorted by name.

use std::collections::BTreeMap;

use gix::bstr::ByteSlice;

use super::loose::Value;
use super::name::{PER_WORK_TREE, is_own, is_valid};
use super::{References, Resolved};
use crate::Oid;
use crate::store::{Found, GitDirectory};
use redline_base::budget::{check_current, check_every};
use redline_base::error;
use redline_base::limits;
use redline_sandbox::EntryKind;

/// References between two checks of the budget.
const LOOK: usize = 1 << 8;

/// A walk over the directory of references.
struct RefsWalk<'d> {
    directory: &'d GitDirectory,
    /// The number of opened directories.
    directories: usize,
    found: BTreeMap<Vec<u8>, Option<Oid>>,
}

impl References<'_> {
    /// Returns the names of all references, of this work tree and shared, with the ids that are
    /// known without reading further files.
    ///
    /// # Errors
    /// `tool_failed` for a damaged `packed-refs`, `too_large` beyond the limits of references.
    fn all(&self) -> error::Result<BTreeMap<Vec<u8>, Option<Oid>>> {
        let mut found = if self.in_tables { self.all_in_tables() } else { self.all_in_files() }?;
        found.retain(|name, _| self.may_read(name));
        Ok(found)
    }

    /// Returns the references in tables, with the ids of those that are not symbolic.
    fn all_in_tables(&self) -> error::Result<BTreeMap<Vec<u8>, Option<Oid>>> {
        let is_linked = self.git_dir.path() != self.common_dir.path();
        let mut found = BTreeMap::new();
        let mut bytes = 0;
        let mut add = |name: &[u8], target: Option<Value>| {
            bytes += name.len() as u64;
            match target {
                Some(Value::Id(id)) => found.insert(name.to_vec(), Some(id)),
                Some(_) => found.insert(name.to_vec(), None),
                None => found.remove(name),
            };
            if bytes > limits::PACKED_REFS_BYTES {
                let most = limits::PACKED_REFS_BYTES;
                return Err(self
                    .git_dir
                    .gate()
                    .too_large(format!("has names of references of over {most} bytes")));
            }
            self.within(found.len())
        };
        // A linked work tree has its own of some references, and not those of the main work tree.
        self.stack(self.common_dir)?.each(|name, target| {
            let is_asked = name.starts_with(b"refs/") && !(is_linked && is_own(name));
            if is_asked { add(name, target) } else { Ok(()) }
        })?;
        if is_linked {
            self.stack(self.git_dir)?
                .each(|name, target| if is_own(name) { add(name, target) } else { Ok(()) })?;
        }
        Ok(found)
    }

    /// Returns the references in files, with the ids of those that are only packed.
    fn all_in_files(&self) -> error::Result<BTreeMap<Vec<u8>, Option<Oid>>> {
        // Loose files come first, as in git: one that is packed and removed meanwhile is then among
        // the packed ones.
        let mut walk =
            RefsWalk { directory: self.common_dir, directories: 0, found: BTreeMap::new() };
        self.walk(&mut walk, b"refs/", 0)?;
        if !self.packed()?.is_current(self.common_dir)? {
            self.packed.take();
        }
        let mut listed = Vec::new();
        self.packed()?.each(self.common_dir, self.hash, |name, id| {
            listed.push((name.to_vec(), Some(id)));
            self.within(listed.len())
        })?;
        // Made of all at once, a map compares each name of a sorted list with its neighbour alone.
        // Of equal names it keeps the last: that of a file, else the first that is packed.
        listed.reverse();
        listed.extend(std::mem::take(&mut walk.found));
        walk.found = listed.into_iter().collect();
        self.within(walk.found.len())?;
        // A linked work tree has its own of these, and not those of the main one.
        if self.git_dir.path() != self.common_dir.path() {
            walk.found.retain(|name, id| id.is_some() || !is_own(name));
            walk.directory = self.git_dir;
            for own in PER_WORK_TREE {
                self.walk(&mut walk, own, 0)?;
            }
        }
        Ok(walk.found)
    }

    /// Adds the files below a directory, whose name ends in a slash.
    fn walk(&self, walk: &mut RefsWalk<'_>, prefix: &[u8], depth: usize) -> error::Result<()> {
        let gate = self.git_dir.gate();
        walk.directories += 1;
        if depth > limits::REFERENCE_DEPTH {
            let most = limits::REFERENCE_DEPTH;
            return Err(gate.too_large(format!("has references over {most} directories deep")));
        }
        if walk.directories > limits::REFERENCE_DIRECTORIES {
            let most = limits::REFERENCE_DIRECTORIES;
            return Err(gate.too_large(format!("has references in over {most} directories")));
        }
        let path = prefix.strip_suffix(b"/").unwrap_or(prefix);
        check_current()?;
        let Some(directory) = walk.directory.directory(path)? else { return Ok(()) };
        for entry in directory.entries()? {
            // git's own files besides references: locks and temporary files.
            if entry.name.starts_with(b".") || entry.name.ends_with(b".lock") {
                continue;
            }
            let mut name = [prefix, &entry.name].concat();
            let is_directory = match entry.kind {
                EntryKind::Directory => true,
                EntryKind::File => false,
                EntryKind::Special => continue,
                EntryKind::Link => match directory.look(&entry.name)? {
                    Found::Directory => true,
                    Found::File(_) => false,
                    Found::Absent => continue,
                },
            };
            if is_directory {
                name.push(b'/');
                self.walk(walk, &name, depth + 1)?;
            } else {
                walk.found.insert(name, None);
                self.within(walk.found.len())?;
            }
        }
        Ok(())
    }

    fn within(&self, references: usize) -> error::Result<()> {
        if references > limits::REFERENCES {
            let most = limits::REFERENCES;
            return Err(self.git_dir.gate().too_large(format!("has over {most} references")));
        }
        Ok(())
    }

    /// Calls `each` with the name and the id or the defect of every reference, sorted by name;
    /// skips a dangling symbolic one, as git does.
    pub fn each(
        &self,
        mut each: impl FnMut(&[u8], Result<Oid, &'static str>) -> error::Result<()>,
    ) -> error::Result<()> {
        self.each_with_target(|name, id, _| each(&name, id))
    }

    /// Calls `each` as [`Self::each`] does, and with the final target of a symbolic reference.
    pub fn each_with_target(
        &self,
        mut each: impl FnMut(Vec<u8>, Result<Oid, &'static str>, Option<Vec<u8>>) -> error::Result<()>,
    ) -> error::Result<()> {
        for (number, (name, packed)) in self.all()?.into_iter().enumerate() {
            check_every(LOOK, number)?;
            let mut target = None;
            let id = match packed {
                _ if !is_valid(&name) => Err("has a name that git refuses"),
                Some(id) => Ok(id),
                None => match self.resolve(&name)? {
                    Resolved::Id { id, name: last } => {
                        target = Some(last).filter(|last| *last != name);
                        Ok(id)
                    }
                    Resolved::Dangling(_) | Resolved::Broken { is_symbolic: true } => continue,
                    // It was removed meanwhile.
                    Resolved::Absent => continue,
                    Resolved::Broken { is_symbolic: false } => Err("holds no id"),
                },
            };
            let id = if id.is_ok_and(|id| id.is_null()) { Err("holds the null id") } else { id };
            each(name, id, target)?;
        }
        Ok(())
    }

    /// Returns the HEADs of the other work trees with their ids, sorted by name.
    pub fn other_heads(&self) -> error::Result<Vec<(Vec<u8>, Oid)>> {
        let mut heads = Vec::new();
        if self.git_dir.path() != self.common_dir.path() {
            heads.push(b"main-worktree/HEAD".to_vec());
        }
        if let Some(directory) = self.common_dir.directory(b"worktrees")? {
            let mut names: Vec<Vec<u8>> =
                directory.entries()?.into_iter().map(|entry| entry.name).collect();
            names.sort();
            names.retain(|name| directory.join(name) != self.git_dir.path());
            heads.extend(names.iter().map(|name| [b"worktrees/", &name[..], b"/HEAD"].concat()));
        }
        let mut found = Vec::new();
        for head in heads {
            if let Resolved::Id { id, .. } = self.resolve(&head)? {
                found.push((head, id));
            }
        }
        Ok(found)
    }

    /// Returns the first components of all names that a reference outside of `refs` can have: those
    /// of the files beside HEAD. `None` where they were not listed.
    pub fn roots(&self) -> Option<Vec<Vec<u8>>> {
        if self.in_tables {
            return None;
        }
        let entries = [self.git_dir, self.common_dir].map(GitDirectory::entries);
        let [own, shared] = entries.map(Result::ok);
        Some(own?.into_iter().chain(shared?).map(|entry| entry.name).collect())
    }

    /// Returns the full names of all references, sorted.
    pub fn names(&self) -> error::Result<Vec<Vec<u8>>> {
        Ok(self.all()?.into_keys().collect())
    }

    /// Returns short names for a hint; of very many references only some, and no symbolic one that
    /// leads to one that may not be read.
    pub fn short_names(&self) -> error::Result<Vec<String>> {
        let short = |name: &[u8]| {
            let prefixes: [&[u8]; 4] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/", b"refs/"];
            let rest = prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix));
            rest.unwrap_or(name).to_str_lossy().into_owned()
        };
        let mut names = Vec::new();
        for (name, packed) in self.all()?.into_iter().take(limits::SUGGESTION_REFERENCES) {
            if packed.is_some() || !matches!(self.resolve(&name)?, Resolved::Absent) {
                names.push(short(&name));
            }
        }
        Ok(names)
    }
}
