//! A file or directory of a tree or of the index: `HEAD:path`, `:path`, `:2:path`.

use gix::objs::Kind;

use super::resolver::{Resolver, Revision, check_side};
use crate::Oid;
use crate::index::Index;
use crate::tree::tree_lookup::entry_at;
use redline_base::error::Result;

/// Returns the object at a path in an object's tree; an empty path is the tree.
pub fn in_tree(resolver: &Resolver<'_>, id: &Oid, path: &[u8]) -> Result<Option<Oid>> {
    let Some(tree) = resolver.peel_to(*id, Kind::Tree)? else { return Ok(None) };
    let path = resolver.repository.path_from_root(path, &resolver.asked)?;
    if path.is_empty() {
        return Ok(Some(tree));
    }
    let directory = path.strip_suffix(b"/");
    let found = entry_at(&resolver.objects, tree, directory.unwrap_or(&path))?;
    Ok(found
        .filter(|entry| directory.is_none() || entry.mode.is_directory())
        .map(|entry| entry.oid))
}

/// Returns the index's blob of `path` or `stage:path`.
pub fn staged(resolver: &Resolver<'_>, name: &[u8]) -> Result<Option<Oid>> {
    let (stage, path) = match name {
        [stage @ b'0'..=b'3', b':', path @ ..] => (stage - b'0', path),
        path => (0, path),
    };
    let path = resolver.repository.path_from_root(path, &resolver.asked)?;
    if path.is_empty() {
        return Ok(None);
    }
    check_side(resolver.repository, Revision::Index)?;
    let index = Index::read(resolver.repository)?;
    Ok(index
        .find(&path)
        .iter()
        .find(|version| version.stage == stage)
        .map(|version| version.entry.oid))
}
