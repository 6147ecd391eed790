//! The index: the files of the next commit, with the last known state of their files on disk.
//!
//! | file | holds |
//! |---|---|
//! | this one | the versions of files; a sparse index is expanded to the files of its directories |
//! | `file` | the file `index`, with the shared index of a split one |
//! | `parse` | header, entries, extensions and checksum of one file |
//! | `cached_tree` | the trees of directories without a change |
//! | `ewah` | the compressed bitmaps of a split index |
//! | `split` | a split index joined with the shared one |

mod cached_tree;
mod ewah;
mod file;
mod parse;
mod split;

use std::ops::Range;
use std::sync::Arc;

use gix::bstr::ByteSlice;

use crate::error::Result;
use crate::git::Oid;
use crate::git::model::changed_file::{Entry, Mode};
use crate::git::repository::Repository;
use crate::git::tree::walk::TreeChanges;
use crate::limits;
use crate::sandbox::{FileState, Moment, Stamp};
use cached_tree::{CachedTree, CachedTrees};
use file::IndexFile;
use parse::{Flags, IndexEntry, is_directory};

pub use file::{open, read};
pub use parse::Stat;

/// A version of a file in the index.
#[derive(Debug, Clone)]
pub struct Staged {
    /// The path from the root of the work tree.
    pub path: Vec<u8>,
    /// Mode and id.
    pub entry: Entry,
    /// 0, or in a conflict 1 for the common ancestor's version, 2 for ours and 3 for theirs.
    pub stage: u8,
    /// The state of the file on disk when it last had the entry's content.
    pub stat: Stat,
    flags: Flags,
}

impl Staged {
    /// Tells whether the file on disk counts as unchanged without a check (`update-index
    /// --assume-unchanged`).
    pub fn is_assumed_unchanged(&self) -> bool {
        self.flags.assume_valid
    }

    /// Tells whether the file is absent from the work tree, as in a sparse checkout.
    pub fn skips_work_tree(&self) -> bool {
        self.flags.skip_worktree
    }

    /// Tells whether only the path was added, without content (`add --intent-to-add`).
    pub fn is_intent_to_add(&self) -> bool {
        self.flags.intent_to_add
    }
}

/// The index of a work tree at one moment.
#[derive(Debug, Default)]
pub struct Index {
    /// Sorted by path and stage.
    entries: Vec<Staged>,
    /// When it was written; `None` if there is no index yet.
    written: Option<Moment>,
    /// The trees that directories without a change are known to be.
    trees: CachedTrees,
}

impl Index {
    /// Reads the index, from the cache while it is unchanged; a repository without one has nothing
    /// staged.
    pub fn read(repository: &Repository) -> Result<Arc<Self>> {
        let Some(file) = open(&repository.git_dir)? else { return Ok(Arc::default()) };
        let (stamp, hash) = (file.stamp(), repository.object_hash());
        if let Some(kept) = repository.kept().made::<Self>(stamp)
            && kept.entries.first().is_none_or(|entry| entry.entry.oid.kind() == hash)
        {
            return Ok(kept);
        }
        let read = read(&repository.git_dir, &file, hash)?;
        // The stamp of this file does not cover other files.
        let is_alone = !read.is_split && !read.entries.iter().any(|entry| is_directory(entry.mode));
        let index = Arc::new(Self::new(read, stamp, repository)?);
        if is_alone {
            repository.kept().keep_made(stamp, &index, index.bytes());
        }
        Ok(index)
    }

    /// Returns the bytes held in memory.
    fn bytes(&self) -> usize {
        let paths: usize = self.entries.iter().map(|entry| entry.path.capacity()).sum();
        let trees: usize = self
            .trees
            .keys()
            .map(|path| path.capacity() + size_of::<(Vec<u8>, CachedTree)>())
            .sum();
        self.entries.capacity() * size_of::<Staged>() + paths + trees
    }

    fn new(read: IndexFile, stamp: Stamp, repository: &Repository) -> Result<Self> {
        let gate = repository.git_dir.gate();
        let is_sorted = read.entries.is_sorted_by(|a, b| (&a.path, a.stage) < (&b.path, b.stage));
        // A path without a conflict has only one version.
        let is_merged =
            read.entries.windows(2).any(|pair| pair[0].path == pair[1].path && pair[0].stage == 0);
        let mut entries = Vec::new();
        entries
            .try_reserve_exact(read.entries.len())
            .map_err(|_| gate.too_large("has an index that does not fit in memory"))?;
        for IndexEntry { path, mode, oid, stage, flags, stat } in read.entries {
            if !Mode::canonical(mode).is_directory() {
                entries.push(Staged {
                    path,
                    entry: Entry::object(Mode::canonical(mode), oid),
                    stage,
                    stat,
                    flags,
                });
                continue;
            }
            // The path ends in a slash.
            let files = TreeChanges::new(repository.objects(), None, Some(oid), Arc::default())?;
            for change in files {
                let change = change?;
                let Some(entry) = change.new else { continue };
                if entries.len() == limits::INDEX_ENTRIES {
                    return Err(gate.too_large("has an index with more entries than redline reads"));
                }
                let path = [&path[..], &change.path].concat();
                let flags = Flags { skip_worktree: true, ..Flags::default() };
                entries.push(Staged { path, entry, stage: 0, stat, flags });
            }
        }
        let is_sorted =
            is_sorted && entries.is_sorted_by(|a, b| (&a.path, a.stage) < (&b.path, b.stage));
        if !is_sorted || is_merged || entries.iter().any(|entry| !is_path(&entry.path)) {
            return Err(gate.damaged(
                "its index is out of order or names something that is not a file of a work tree",
            ));
        }
        Ok(Self { entries, written: Some(stamp.modified()), trees: read.trees })
    }

    /// Tells whether a tree is known to have the same files as a directory, whose path is empty for
    /// the root or else ends in a slash.
    pub fn is_known_as(&self, directory: &[u8], tree: Oid) -> bool {
        // As in git, what the index says of its own entries is trusted, if it can be true.
        self.trees.get(directory).is_some_and(|known| {
            let entries = self.below(directory);
            known.oid == tree
                && known.entries == entries.len()
                && entries.iter().all(|entry| entry.stage == 0 && !entry.is_intent_to_add())
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
        let start = self.entries.partition_point(|entry| entry.path.as_slice() < path);
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
        let start = self.entries.partition_point(|entry| entry.path.as_slice() < prefix);
        let found = self.entries[start..].partition_point(|entry| entry.path.starts_with(prefix));
        &self.entries[start..start + found]
    }

    /// Returns the paths in order.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.entries.iter().map(|entry| entry.path.as_slice())
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
        !known.is_intent_to_add()
            // The index stores the low 32 bits; git marks an entry that must be read with size 0.
            && stat.size == state.size as u32
            && (stat.size != 0 || known.entry.oid == Oid::empty_blob(known.entry.oid.kind()))
            && is_time(stat.modified, state.modified)
            && is_time(stat.changed, state.changed)
            && stat.inode == state.inode as u32
            && stat.user == state.user
            && stat.group == state.group
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

/// Tells whether a path names a file below the root and none of git's own.
fn is_path(path: &[u8]) -> bool {
    path.split_str("/")
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            path: path.as_bytes().to_vec(),
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
