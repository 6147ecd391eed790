//! The trees of a sorted list of files.

use super::object::NewObject;
use crate::Oid;
use crate::index::{CachedTree, CachedTrees};
use crate::model::changed_file::Entry;
use redline_base::budget::{Copied, Grow, GrowBy, GrowMap};
use redline_base::error::{Error, Result};
use redline_base::limits;

/// A file of a tree, by its whole path.
pub type File<'a> = (&'a [u8], Entry);

/// The trees of a list of files.
pub struct Trees {
    /// The tree of the root.
    pub root: Oid,
    /// Each directory's tree, by its path with a trailing slash; empty for the root.
    pub all: CachedTrees,
    /// Their objects, the inner ones first.
    pub objects: Vec<NewObject>,
}

impl Trees {
    /// Returns the trees of files that are sorted by their paths, as an index is. Their order is
    /// that of trees, too: the slash after a directory's name is a byte of the path.
    ///
    /// # Errors
    /// `too_large` for directories nested deeper than [`limits::TREE_DEPTH`].
    pub fn of(files: &[File<'_>], hash: gix::hash::Kind) -> Result<Self> {
        let mut trees =
            Self { root: Oid::null(hash), all: CachedTrees::new(), objects: Vec::new() };
        trees.root = trees.directory(files, 0, 0, hash)?;
        Ok(trees)
    }

    /// Adds the tree of a directory, of whose path the files share so many bytes.
    fn directory(
        &mut self,
        files: &[File<'_>],
        prefix: usize,
        depth: usize,
        hash: gix::hash::Kind,
    ) -> Result<Oid> {
        if depth > limits::TREE_DEPTH {
            return Err(Error::too_large(format!(
                "the directories are nested more than {} levels deep",
                limits::TREE_DEPTH
            )));
        }
        let mut content = Vec::new();
        let mut at = 0;
        while let Some((path, entry)) = files.get(at) {
            let name = &path[prefix..];
            let (name, mode, oid) = match memchr::memchr(b'/', name) {
                None => {
                    at += 1;
                    (name, entry.mode.bits(), entry.oid)
                }
                Some(slash) => {
                    let end = prefix + slash + 1;
                    let count =
                        files[at..].partition_point(|(other, _)| other.starts_with(&path[..end]));
                    let below = &files[at..at + count.max(1)];
                    at += below.len();
                    (&name[..slash], 0o40_000, self.directory(below, end, depth + 1, hash)?)
                }
            };
            content.add_slice(format!("{mode:o} ").as_bytes());
            content.add_slice(name);
            content.add(0);
            content.add_slice(oid.as_bytes());
        }
        let object = NewObject::new("tree", &content, hash)?;
        let oid = object.id;
        let path = files.first().map_or(&[][..], |(path, _)| &path[..prefix]);
        self.all.put(path.copied_vec(), CachedTree { oid, entries: files.len() });
        self.objects.add(object);
        Ok(oid)
    }
}
