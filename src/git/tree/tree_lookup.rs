//! Finding one file in a tree.

use crate::error::Result;
use crate::git::objects::Objects;
use crate::git::repository::Repository;
use crate::git::tree::entries::parse;
use crate::git::{Entry, Oid};

/// What a path names in a tree.
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
}

impl Repository {
    /// Returns what `path` (components separated by `/`) names in a tree; an absent one is empty.
    pub fn find(&self, tree: Option<Oid>, path: &[u8]) -> Result<TreeItem> {
        let objects = self.objects();
        let Some(root) = tree else { return Ok(TreeItem::Nothing) };
        let mut tree = root;
        let mut components = path.split(|&byte| byte == b'/').peekable();
        while let Some(component) = components.next() {
            let bytes = objects.tree(&tree)?;
            match entry(&objects, &tree, &bytes, component)? {
                None => return Ok(TreeItem::Nothing),
                Some(entry) if components.peek().is_none() => {
                    return Ok(if entry.mode.is_directory() {
                        TreeItem::Directory
                    } else {
                        TreeItem::File(entry)
                    });
                }
                Some(entry) if entry.mode.is_directory() => tree = entry.oid,
                Some(_) => return Ok(TreeItem::Nothing),
            }
        }
        Ok(TreeItem::Nothing)
    }
}

/// Returns the entry of a name; all entries are looked at, as damaged trees may be unsorted.
fn entry(objects: &Objects, tree: &Oid, bytes: &[u8], name: &[u8]) -> Result<Option<Entry>> {
    let mut rest = bytes;
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
