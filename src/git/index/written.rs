//! The bytes of an index file: header, entries, extensions, checksum.
//!
//! Source: git's `gitformat-index`. What cannot stay true is left out, as git leaves it out where
//! it is not asked for: untracked files, file system monitors, offsets, and the link to a shared
//! index, whose entries are all written.

use std::collections::{BTreeSet, HashMap};

use gix::hash::{Hasher, Kind, hasher};

use super::cached_tree::{CachedTree, CachedTrees};
use super::staged::Staged;
use crate::model::write_offset_number;
use redline_base::budget::{Copied, Grow, GrowBy, GrowMap, Joined};
use redline_base::error::{Error, Result};

const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0FFF;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

/// Returns an index file of these entries, which are sorted: of version 4 if `version` is, else of
/// the lowest that holds their flags.
///
/// # Errors
/// `tool_failed` if the checksum cannot be computed, `too_large` for more entries than a file has.
pub fn index_file(
    entries: &[Staged],
    trees: &CachedTrees,
    version: u32,
    resolved: &[u8],
    hash: Kind,
) -> Result<Vec<u8>> {
    let is_extended = |one: &Staged| one.flags.skip_worktree || one.flags.intent_to_add;
    let version = match version {
        4 => 4,
        _ if entries.iter().any(is_extended) => 3,
        _ => 2,
    };
    let count = u32::try_from(entries.len())
        .map_err(|_| Error::too_large("the index would have more than 2^32 entries"))?;
    let mut bytes = b"DIRC".copied_vec();
    bytes.add_slice(&u32::to_be_bytes(version));
    bytes.add_slice(&count.to_be_bytes());
    let mut last: &[u8] = &[];
    for entry in entries {
        write_entry(&mut bytes, entry, version, last);
        last = &entry.path;
    }
    let known = cached_trees(entries, trees);
    for (name, content) in [(b"TREE", known.as_slice()), (b"REUC", resolved)] {
        if !content.is_empty() {
            bytes.add_slice(name);
            bytes.add_slice(&u32::try_from(content.len()).unwrap_or(0).to_be_bytes());
            bytes.add_slice(content);
        }
    }
    let mut sum: Hasher = hasher(hash);
    sum.update(&bytes);
    let sum = sum.try_finalize().map_err(|error| {
        Error::tool_failed("the checksum of the index cannot be computed").with_source(error)
    })?;
    bytes.add_slice(sum.as_bytes());
    Ok(bytes)
}

fn write_entry(bytes: &mut Vec<u8>, entry: &Staged, version: u32, last: &[u8]) {
    let start = bytes.len();
    let stat = &entry.stat;
    for number in [
        stat.changed.0,
        stat.changed.1,
        stat.modified.0,
        stat.modified.1,
        stat.device,
        stat.inode,
        entry.entry.mode.bits(),
        stat.user,
        stat.group,
        stat.size,
    ] {
        bytes.add_slice(&number.to_be_bytes());
    }
    bytes.add_slice(entry.entry.oid.as_bytes());
    let mut flags = u16::try_from(entry.path.len()).unwrap_or(LENGTH).min(LENGTH);
    flags |= u16::from(entry.stage) << 12;
    let mut more = 0;
    for (is_set, bit) in
        [(entry.flags.skip_worktree, SKIP_WORKTREE), (entry.flags.intent_to_add, INTENT_TO_ADD)]
    {
        if is_set {
            more |= bit;
            flags |= EXTENDED;
        }
    }
    if entry.flags.assume_valid {
        flags |= ASSUME_VALID;
    }
    bytes.add_slice(&flags.to_be_bytes());
    if more != 0 {
        bytes.add_slice(&more.to_be_bytes());
    }
    if version == 4 {
        let same = last.iter().zip(&entry.path).take_while(|(a, b)| a == b).count();
        write_offset_number(bytes, (last.len() - same) as u64);
        bytes.add_slice(&entry.path[same..]);
        bytes.add(0);
    } else {
        bytes.add_slice(&entry.path);
        let read = bytes.len() - start;
        bytes.add_slice(&[0; 8][read % 8..]);
    }
}

/// Returns the extension `TREE`: every directory of the entries, with its tree if it is known;
/// empty if no tree is.
fn cached_trees(entries: &[Staged], trees: &CachedTrees) -> Vec<u8> {
    if trees.is_empty() {
        return Vec::new();
    }
    let mut inner: HashMap<&[u8], BTreeSet<(usize, &[u8])>> = HashMap::new();
    for entry in entries {
        let mut above = 0;
        for slash in memchr::memchr_iter(b'/', &entry.path) {
            let name = &entry.path[above..slash];
            inner.slot(&entry.path[..above]).or_default().add((name.len(), name));
            above = slash + 1;
        }
    }
    let mut bytes = Vec::new();
    let mut waiting: Vec<(Vec<u8>, &[u8])> = vec![(Vec::new(), &[])];
    while let Some((path, name)) = waiting.pop() {
        let directories = inner.get(&path[..]);
        let count = directories.map_or(0, BTreeSet::len);
        bytes.add_slice(name);
        match trees.get(&path) {
            Some(CachedTree { entries: files, oid }) => {
                bytes.add_slice(format!("\0{files} {count}\n").as_bytes());
                bytes.add_slice(oid.as_bytes());
            }
            None => bytes.add_slice(format!("\0-1 {count}\n").as_bytes()),
        }
        for (_, name) in directories.into_iter().flatten().rev() {
            waiting.add(([&path[..], name, b"/"].chained(), name));
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::super::staged::{Flags, Stat};
    use super::*;
    use crate::Oid;
    use crate::model::changed_file::{Entry, Mode};

    fn staged(path: &str, stage: u8, flags: Flags) -> Staged {
        let oid = Oid::from_hex(&[b'5'; 40]).unwrap();
        let stat = Stat { changed: (1, 2), modified: (3, 4), size: 7, ..Stat::default() };
        let entry = Entry::object(Mode::regular(path.ends_with('x')), oid);
        Staged { path: path.as_bytes().to_vec().into(), entry, stage, stat, flags }
    }

    #[test]
    fn what_is_written_is_read_again_in_every_version() {
        let plain = Flags::default();
        let long = "l".repeat(3795) + "/" + &"m".repeat(300);
        let mut entries = vec![
            staged("a", 0, plain),
            staged("a.b", 0, Flags { assume_valid: true, ..plain }),
            staged("a/b/c", 0, plain),
            staged("a/b/d", 1, plain),
            staged("a/b/d", 2, plain),
            staged("a/b/d", 3, plain),
            staged("a/x", 0, plain),
            staged(&long, 0, plain),
            staged("z", 0, plain),
        ];
        let tree = CachedTree { oid: Oid::from_hex(&[b'7'; 40]).unwrap(), entries: 5 };
        let trees = CachedTrees::from([(b"a/".to_vec(), tree)]);
        for (given, extended, version) in [(0, false, 2), (2, true, 3), (3, false, 2), (4, true, 4)]
        {
            entries[8].flags = Flags { intent_to_add: extended, skip_worktree: extended, ..plain };
            let bytes = index_file(&entries, &trees, given, b"undo", Kind::Sha1).unwrap();
            let read = parse(&bytes, Kind::Sha1, 1).unwrap();
            assert_eq!((read.version, read.resolved.as_slice()), (version, &b"undo"[..]));
            assert_eq!(read.trees, trees);
            assert_eq!(format!("{:?}", read.entries), format!("{entries:?}"));
        }
    }
}
