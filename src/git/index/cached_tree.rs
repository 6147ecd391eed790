//! The extension `TREE` of an index: the trees that directories would be committed as, where no
//! file below has been staged since they were written.
//!
//! Source: git's `gitformat-index`, "Cache tree". As in git, an extension that cannot be read
//! counts as absent: it only saves work.

use std::collections::HashMap;

use gix::hash::Kind;

use crate::Oid;
use redline_base::budget::{Copied, Grow, GrowBy, GrowMap};
use redline_base::limits;

/// The known trees by the paths of their directories: empty for the root, the others end in a
/// slash.
pub type CachedTrees = HashMap<Vec<u8>, CachedTree>;

/// The tree of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachedTree {
    /// Its id.
    pub oid: Oid,
    /// The number of entries of the index below the directory.
    pub entries: usize,
}

/// Returns the bytes that the tree of a directory takes in memory, with the directory's path.
pub fn held_bytes(path: &[u8]) -> usize {
    size_of::<(Vec<u8>, CachedTree)>() + path.len()
}

/// Reads the extension; empty if it is damaged, or over [`limits::INDEX_TREE_BYTES`].
pub fn read(content: &[u8], hash: Kind) -> CachedTrees {
    read_all(content, hash).unwrap_or_default()
}

fn read_all(mut rest: &[u8], hash: Kind) -> Option<CachedTrees> {
    let mut trees = CachedTrees::new();
    let mut room = limits::INDEX_TREE_BYTES;
    let mut path = Vec::new();
    // Of each directory from the root to the current one, the length of its path, and how many
    // directories in it are still to come. The root is in nothing.
    let mut levels = vec![(0, 1_usize)];
    while let Some((length, to_come)) = levels.last_mut() {
        path.truncate(*length);
        let Some(after) = to_come.checked_sub(1) else {
            levels.pop();
            continue;
        };
        *to_come = after;
        let name = field(&mut rest, 0)?;
        if name.is_empty() != (levels.len() == 1) || levels.len() > limits::TREE_DEPTH {
            return None;
        }
        if !name.is_empty() {
            path.add_slice(name);
            path.add(b'/');
        }
        let (entries, directories) = (field(&mut rest, b' ')?, number(field(&mut rest, b'\n')?)?);
        room = room.checked_sub(held_bytes(&path))?;
        // A directory with a change has a negative number, and no tree.
        if !entries.starts_with(b"-") {
            let (id, after) = rest.split_at_checked(hash.len_in_bytes())?;
            rest = after;
            let tree = CachedTree { oid: Oid::try_from(id).ok()?, entries: number(entries)? };
            trees.put(path.copied_vec(), tree);
        }
        levels.add((path.len(), directories));
    }
    rest.is_empty().then_some(trees)
}

/// Takes the bytes before a byte, and that byte.
fn field<'a>(rest: &mut &'a [u8], end: u8) -> Option<&'a [u8]> {
    let (field, after) = rest.split_at(memchr::memchr(end, rest)?);
    *rest = &after[1..];
    Some(field)
}

fn number(digits: &[u8]) -> Option<usize> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a directory of the extension, with a tree if it has a number of entries.
    fn directory(name: &str, entries: &str, directories: usize) -> Vec<u8> {
        let id: &[u8] = if entries.starts_with('-') { &[] } else { &[7; 20] };
        [format!("{name}\0{entries} {directories}\n").as_bytes(), id].concat()
    }

    fn paths(content: &[u8]) -> Vec<(String, usize)> {
        let trees = read(content, Kind::Sha1).into_iter();
        let mut found: Vec<_> =
            trees.map(|(path, tree)| (String::from_utf8(path).unwrap(), tree.entries)).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn names_the_directories_that_have_no_change() {
        let content = [
            directory("", "-1", 2),
            directory("a", "3", 1),
            directory("b", "2", 0),
            directory("c", "1", 0),
        ];
        let named =
            [("a/", 3), ("a/b/", 2), ("c/", 1)].map(|(path, count)| (path.to_owned(), count));
        assert_eq!(paths(&content.concat()), named);
    }

    #[test]
    fn one_that_is_damaged_or_nested_without_end_counts_as_absent() {
        let whole = [directory("", "3", 1), directory("a", "3", 0)].concat();
        assert_eq!(paths(&whole).len(), 2);
        for end in 0..whole.len() {
            assert_eq!(paths(&whole[..end]), [], "{end}");
        }
        let siblings = |count: usize| {
            let named = (0..count).map(|number| directory(&format!("{number:x}"), "1", 0));
            [directory("", "1", count), named.collect::<Vec<_>>().concat()].concat()
        };
        assert_eq!(paths(&siblings(1000)).len(), 1001);
        for (what, content) in [
            ("bytes after the root", [&whole[..], b"x"].concat()),
            ("a million directories", siblings(1_000_000)),
            ("a root with a name", directory("a", "1", 0)),
            ("a directory without one", [directory("", "1", 1), directory("", "1", 0)].concat()),
            ("a count that is no number", directory("", "x", 0)),
            ("more directories than it has", directory("", "1", usize::MAX)),
            (
                "400,000 levels",
                [directory("", "1", 1), directory("a", "1", 1).repeat(400_000)].concat(),
            ),
        ] {
            assert_eq!(paths(&content), [], "{what}");
        }
    }
}
