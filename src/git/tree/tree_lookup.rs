//! Finds one file in a tree.

use crate::error::Result;
use crate::git::objects::Objects;
use crate::git::tree::walk::parse;
use crate::git::{Entry, Oid};

/// The item at a path in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeItem {
    /// Nothing.
    Nothing,
    /// A directory.
    Directory,
    /// A file, link or submodule.
    File(Entry),
}

impl TreeItem {
    /// Returns the entry of a file.
    pub fn file(self) -> Option<Entry> {
        match self {
            Self::File(entry) => Some(entry),
            _ => None,
        }
    }

    /// Returns the item at `path` (components separated by `/`) in a tree; an absent tree is empty.
    pub fn find(objects: &Objects, tree: Option<Oid>, path: &[u8]) -> Result<Self> {
        let Some(tree) = tree else { return Ok(Self::Nothing) };
        Ok(match entry_at(objects, tree, path)? {
            None => Self::Nothing,
            Some(entry) if entry.mode.is_directory() => Self::Directory,
            Some(entry) => Self::File(entry),
        })
    }
}

/// Returns the entry at `path` (components separated by `/`) in a tree.
pub fn entry_at(objects: &Objects, mut tree: Oid, path: &[u8]) -> Result<Option<Entry>> {
    let mut components = path.split(|&byte| byte == b'/').peekable();
    while let Some(component) = components.next() {
        objects.budget().check()?;
        match child(objects, &tree, component)? {
            Some(entry) if components.peek().is_none() => return Ok(Some(entry)),
            Some(entry) if entry.mode.is_directory() => tree = entry.oid,
            _ => break,
        }
    }
    Ok(None)
}

/// The location of a path in a tree: the directories above it, and the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Located {
    /// The ids of the trees from the root to the directory of the file.
    trees: Vec<Oid>,
    /// The file, link or submodule.
    pub file: Option<Entry>,
}

impl Located {
    /// Finds a path in a tree; if a directory on the way is the same as in `known`, so is the rest.
    pub fn find(
        objects: &Objects,
        root: Option<Oid>,
        path: &[u8],
        known: Option<&Self>,
    ) -> Result<Self> {
        let mut located = Self::default();
        let Some(mut tree) = root else { return Ok(located) };
        let mut components = path.split(|&byte| byte == b'/').peekable();
        while let Some(component) = components.next() {
            if let Some(known) = known
                && known.trees.get(located.trees.len()) == Some(&tree)
            {
                located.trees.extend(&known.trees[located.trees.len()..]);
                located.file = known.file;
                return Ok(located);
            }
            located.trees.push(tree);
            match child(objects, &tree, component)? {
                Some(entry) if components.peek().is_none() => {
                    located.file = Some(entry).filter(|entry| !entry.mode.is_directory());
                }
                Some(entry) if entry.mode.is_directory() => tree = entry.oid,
                _ => break,
            }
        }
        Ok(located)
    }
}

/// Returns the entry of a tree with a name; scans all entries, as damaged trees may be unsorted.
fn child(objects: &Objects, tree: &Oid, name: &[u8]) -> Result<Option<Entry>> {
    let bytes = objects.tree(tree)?;
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (entry, after) =
            parse(rest, tree.as_bytes().len()).map_err(|what| objects.bad_tree(tree, what))?;
        if entry.name == name {
            return Ok(Some(entry.entry()));
        }
        rest = after;
    }
    Ok(None)
}
