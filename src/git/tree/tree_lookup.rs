//! Finds one file in a tree.

use std::collections::HashMap;
use std::sync::Arc;

use crate::objects::Objects;
use crate::{Entry, Oid};
use redline_base::error::Result;
use redline_base::limits;

/// Returns the file, link or submodule at `path` in a tree; an absent tree is empty.
pub fn file_at(objects: &Objects, tree: Option<Oid>, path: &[u8]) -> Result<Option<Entry>> {
    let Some(tree) = tree else { return Ok(None) };
    Ok(entry_at(objects, tree, path)?.filter(|entry| !entry.mode.is_directory()))
}

/// Returns the entry at `path` (components separated by `/`) in a tree.
pub fn entry_at(objects: &Objects, mut tree: Oid, path: &[u8]) -> Result<Option<Entry>> {
    let mut components = path.split(|&byte| byte == b'/').peekable();
    while let Some(component) = components.next() {
        objects.budget().check()?;
        match objects.tree_entry(&tree, component)? {
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
            match objects.tree_entry(&tree, component)? {
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

/// The locations of one path in the trees checked so far.
#[derive(Default)]
pub struct PathInTrees {
    located: HashMap<Oid, Arc<Located>>,
    last: Arc<Located>,
}

impl PathInTrees {
    /// Returns the file at the path in a tree; an absent tree is empty.
    pub fn file(
        &mut self,
        objects: &Objects,
        tree: Option<Oid>,
        path: &[u8],
    ) -> Result<Option<Entry>> {
        let Some(tree) = tree else { return Ok(None) };
        if let Some(located) = self.located.get(&tree) {
            self.last = Arc::clone(located);
        } else {
            self.last = Arc::new(Located::find(objects, Some(tree), path, Some(&self.last))?);
            if self.located.len() >= limits::LOCATED_TREES {
                self.located.clear();
            }
            self.located.insert(tree, Arc::clone(&self.last));
        }
        Ok(self.last.file)
    }
}
