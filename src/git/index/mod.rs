//! The index: the files of the next commit, with the last known state of their files on disk.
//!
//! | file | holds |
//! |---|---|
//! | this one | the versions of all files; a sparse index is expanded to the files of its directories |
//! | `staged` | one version |
//! | `file` | the file `index`, with the shared index of a split one |
//! | `parse` | header, entries, extensions and checksum of one file |
//! | `cached_tree` | the trees of directories without a change |
//! | `ewah` | the compressed bitmaps of a split index |
//! | `split` | a split index joined with the shared one |
//! | `written` | the bytes of an index file with other entries |

mod cached_tree;
mod ewah;
mod file;
mod parse;
mod split;
mod staged;
mod written;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::Oid;
use crate::model::changed_file::Entry;
use crate::repository::Repository;
use crate::tree::walk::TreeChanges;
use file::IndexFile;
use redline_base::budget::Joined;
use redline_base::error::Result;
use redline_base::limits;
use redline_sandbox::{FileState, Moment, Stamp};

pub(crate) use cached_tree::{CachedTree, CachedTrees};
pub use file::{open, read};
pub use staged::{Flags, Staged, Stat};

/// The index of a work tree at one moment.
#[derive(Debug, Default)]
pub struct Index {
    /// Sorted by path and stage.
    entries: Vec<Staged>,
    /// The bytes of their paths.
    path_bytes: usize,
    /// When it was written; `None` if there is no index yet.
    written: Option<Moment>,
    /// The trees that directories without a change are known to be.
    trees: CachedTrees,
    /// The file as it was read; `None` if there is none yet.
    stamp: Option<Stamp>,
    /// The version of the format; 0 if there is no file yet.
    version: u32,
    /// The extension `REUC`.
    resolved: Vec<u8>,
}

impl Index {
    /// Reads the index, from the cache while it is unchanged; a repository without one has nothing
    /// staged.
    pub fn read(repository: &Repository) -> Result<Arc<Self>> {
        let Some(file) = open(&repository.location.git_dir)? else { return Ok(Arc::default()) };
        let (stamp, hash) = (file.stamp(), repository.object_hash());
        if let Some(kept) = repository.repositories.made::<Self>(stamp)
            && kept.entries.first().is_none_or(|entry| entry.entry.oid.kind() == hash)
        {
            return Ok(kept);
        }
        let read = read(&repository.location.git_dir, &file, hash, repository.threads)?;
        // The stamp of this file does not cover other files.
        let is_alone = !read.is_split && !read.has_directories;
        let index = Arc::new(Self::new(read, stamp, repository)?);
        if is_alone {
            let trees: usize = index.trees.keys().map(|path| cached_tree::held_bytes(path)).sum();
            let entries = index.entries.capacity() * size_of::<Staged>() + index.path_bytes;
            repository.repositories.keep_made(stamp, &index, entries + trees);
        }
        Ok(index)
    }

    fn new(read: IndexFile, stamp: Stamp, repository: &Repository) -> Result<Self> {
        let damaged = || {
            repository.location.git_dir.gate().damaged(
                "its index is out of order or names something that is not a file of a work tree",
            )
        };
        let mut entries = read.entries;
        if read.has_directories {
            if !entries.is_sorted_by(is_in_order) {
                return Err(damaged());
            }
            entries = expanded(entries, repository)?;
        }
        let path_bytes = checked(&entries).ok_or_else(damaged)?;
        Ok(Self {
            entries,
            path_bytes,
            written: Some(stamp.modified()),
            trees: read.trees,
            stamp: Some(stamp),
            version: read.version,
            resolved: read.resolved,
        })
    }

    /// Returns the file as it was read; `None` if there was none.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    /// Returns the versions of all files, sorted by path and stage.
    pub(crate) fn entries(&self) -> &[Staged] {
        &self.entries
    }

    /// Tells whether a file may have been changed since git stored its state, unseen by a git that
    /// compares whole seconds.
    pub(crate) fn is_unsure(&self, staged: &Staged) -> bool {
        let seconds = i64::from(staged.stat.modified.0);
        self.written.is_none_or(|written| seconds >= written.seconds)
    }

    /// Tells whether a directory, whose path ends in a slash, is known to be a tree.
    pub(crate) fn knows(&self, directory: &[u8], tree: &Oid) -> bool {
        self.trees.get(directory).is_some_and(|known| known.oid == *tree)
    }

    /// Returns the bytes of an index file with other entries, in the version of this one and with
    /// the trees of the directories in `trees`.
    ///
    /// # Errors
    /// `tool_failed` if the checksum cannot be computed.
    pub(crate) fn with_entries(
        &self,
        entries: &[Staged],
        trees: &CachedTrees,
        hash: gix::hash::Kind,
    ) -> Result<Vec<u8>> {
        written::index_file(entries, trees, self.version, &self.resolved, hash)
    }

    /// Tells whether a tree is known to have the same files as a directory, whose path ends in a
    /// slash.
    pub fn is_known_as(&self, directory: &[u8], tree: Oid) -> bool {
        // As in git, what the index says of its own entries is trusted, if it can be true.
        let known = self.trees.get(directory).filter(|known| known.oid == tree);
        known.is_some_and(|known| {
            let entries = self.below(directory);
            known.entries == entries.len()
                && entries.iter().all(|entry| entry.stage == 0 && !entry.flags.intent_to_add)
        })
    }

    /// Returns the number of versions.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the positions of the path at `start` (its stages), empty at the end.
    pub fn path_at(&self, start: usize) -> Range<usize> {
        let Some(first) = self.entries.get(start) else { return start..start };
        if first.stage == 0 {
            return start..start + 1;
        }
        let more =
            self.entries[start..].iter().take_while(|entry| entry.path == first.path).count();
        start..start + more
    }

    /// Returns the versions at the given positions, empty after the end.
    pub fn versions(&self, positions: Range<usize>) -> &[Staged] {
        self.entries.get(positions).unwrap_or_default()
    }

    /// Returns the versions of a path, empty if it is not tracked.
    pub fn find(&self, path: &[u8]) -> &[Staged] {
        let start = self.entries.partition_point(|entry| &entry.path[..] < path);
        let found = self.entries[start..].iter().take_while(|entry| entry.path == path).count();
        &self.entries[start..start + found]
    }

    /// Returns the versions of files in a conflict.
    pub fn conflicts(&self) -> impl Iterator<Item = &Staged> {
        self.entries.iter().filter(|version| version.stage > 0)
    }

    /// Returns the versions of all files whose paths begin with `prefix`, which ends in a slash or
    /// is empty, sorted.
    pub fn below(&self, prefix: &[u8]) -> &[Staged] {
        let start = self.entries.partition_point(|entry| &entry.path[..] < prefix);
        let found = self.entries[start..].partition_point(|entry| entry.path.starts_with(prefix));
        &self.entries[start..start + found]
    }

    /// Returns the paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.iter().map(|entry| &entry.path[..])
    }

    /// Returns the content of a path: the only version, or ours in a conflict.
    pub fn content(&self, path: &[u8]) -> Option<Entry> {
        self.find(path)
            .iter()
            .find(|version| matches!(version.stage, 0 | 2))
            .map(|version| version.entry)
    }

    /// Tells whether a file is unchanged since git last found it to have the content of its entry.
    pub fn remembers(&self, known: &Staged, state: &FileState) -> bool {
        let stat = &known.stat;
        let is_time = |stored: (u32, u32), moment: Moment| {
            i64::from(stored.0) == moment.seconds & i64::from(u32::MAX)
                && stored.1 == moment.nanoseconds
        };
        !known.flags.intent_to_add
            // The index stores the low 32 bits; git marks an entry that must be read with size 0.
            && stat.size == state.size as u32
            && (stat.size != 0 || known.entry.oid == Oid::empty_blob(known.entry.oid.kind()))
            && is_time(stat.modified, state.modified)
            && is_time(stat.changed, state.changed)
            // git stores none of these on Windows.
            && (cfg!(windows)
                || (stat.inode, stat.user, stat.group)
                    == (state.inode as u32, state.user, state.group))
            && !self.is_racy(state.modified)
    }

    /// Tells whether a file modified at `modified` may have been modified again, unseen, within the
    /// same clock tick as the index ("racy git").
    fn is_racy(&self, modified: Moment) -> bool {
        /// Twice the coarsest tick of kernels' file times.
        const TICKS: i64 = 20_000_000;
        let Some(written) = self.written else { return true };
        // A file system without nanoseconds stores whole seconds.
        if written.nanoseconds == 0 || modified.nanoseconds == 0 {
            return written.seconds <= modified.seconds;
        }
        let nanoseconds = |moment: Moment| {
            i128::from(moment.seconds) * 1_000_000_000 + i128::from(moment.nanoseconds)
        };
        nanoseconds(written) <= nanoseconds(modified) + i128::from(TICKS)
    }
}

/// Tells whether one version of a file may follow another.
fn is_in_order(last: &Staged, next: &Staged) -> bool {
    match last.path.cmp(&next.path) {
        Ordering::Less => true,
        // A path without a conflict has only one version.
        Ordering::Equal => 0 < last.stage && last.stage < next.stage,
        Ordering::Greater => false,
    }
}

/// Checks the order of versions and their paths, in one pass, and returns the bytes of these.
fn checked(entries: &[Staged]) -> Option<usize> {
    let mut bytes = 0;
    let mut last = None;
    for staged in entries {
        if !last.is_none_or(|last| is_in_order(last, staged)) || !is_path(&staged.path) {
            return None;
        }
        bytes += staged.path.len();
        last = Some(staged);
    }
    Some(bytes)
}

/// Returns the entries of a sparse index with the files of its directories instead of these.
fn expanded(entries: Vec<Staged>, repository: &Repository) -> Result<Vec<Staged>> {
    let gate = repository.location.git_dir.gate();
    let mut files = Vec::new();
    files
        .try_reserve_exact(entries.len())
        .map_err(|_| gate.too_large("has an index that does not fit in memory"))?;
    for directory in entries {
        if !directory.entry.mode.is_directory() {
            files.push(directory);
            continue;
        }
        let tree = Some(directory.entry.oid);
        for change in TreeChanges::new(repository.objects(), None, tree, Arc::default())? {
            let change = change?;
            let Some(entry) = change.new else { continue };
            if files.len() == limits::INDEX_ENTRIES {
                return Err(gate.too_large("has an index with more entries than redline reads"));
            }
            let path = [&directory.path[..], &change.path].chained().into();
            let flags = Flags { skip_worktree: true, ..Flags::default() };
            files.push(Staged { path, entry, stage: 0, stat: directory.stat, flags });
        }
    }
    Ok(files)
}

/// Tells whether a path names a file below the root and none of git's own.
pub(crate) fn is_path(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').all(|name| match name {
        [] | b"." | b".." => false,
        [b'.', ..] => !name.eq_ignore_ascii_case(b".git"),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::cached_tree::CachedTree;
    use super::*;
    use crate::model::changed_file::Mode;

    #[test]
    fn an_entry_that_leads_out_of_the_work_tree_or_into_git_is_damage() {
        for path in [
            "../a",
            "a/../b",
            "/etc/passwd",
            "a//b",
            "a/",
            "",
            ".git/config",
            "a/.GIT/hooks/x",
            ".",
        ] {
            assert!(!is_path(path.as_bytes()), "{path}");
        }
        assert!(is_path(b"a/.github/b.git"));
    }

    #[test]
    fn a_file_written_in_the_tick_of_the_index_is_read() {
        let at = |seconds, nanoseconds| Moment { seconds, nanoseconds };
        let index =
            Index { entries: Vec::new(), written: Some(at(100, 500_000_000)), ..Index::default() };
        for (modified, racy) in [
            (at(100, 500_000_000), true),
            (at(100, 490_000_000), true),
            (at(101, 1), true),
            (at(100, 400_000_000), false),
            (at(100, 0), true),
            (at(99, 0), false),
        ] {
            assert_eq!(index.is_racy(modified), racy, "{modified:?}");
        }
    }

    #[test]
    fn what_the_index_says_of_a_directory_counts_only_if_its_entries_can_be_so() {
        let tree = Oid::from_hex(&[b'1'; 40]).unwrap();
        let staged = |path: &str, stage: u8, intent_to_add: bool| Staged {
            path: path.as_bytes().to_vec().into(),
            entry: Entry::object(Mode::regular(false), tree),
            stage,
            stat: Stat::default(),
            flags: Flags { intent_to_add, ..Flags::default() },
        };
        let index = |entries: Vec<Staged>, count: usize| {
            let known = CachedTree { oid: tree, entries: count };
            Index {
                entries,
                trees: CachedTrees::from([(b"a/".to_vec(), known)]),
                ..Index::default()
            }
        };
        let two =
            || vec![staged("a/b", 0, false), staged("a/c/d", 0, false), staged("a0", 0, false)];
        assert!(index(two(), 2).is_known_as(b"a/", tree));
        assert!(!index(two(), 2).is_known_as(b"a/", Oid::from_hex(&[b'2'; 40]).unwrap()));
        assert!(!index(two(), 2).is_known_as(b"", tree));
        assert!(!index(two(), 3).is_known_as(b"a/", tree));
        assert!(!index(vec![staged("a/b", 1, false)], 1).is_known_as(b"a/", tree));
        assert!(!index(vec![staged("a/b", 0, true)], 1).is_known_as(b"a/", tree));
    }
}
