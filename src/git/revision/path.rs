//! A file or directory of a tree or of the index: `HEAD:path`, `:path`, `:2:path`.

use gix::objs::Kind;

use super::resolver::{Resolver, Revision, check_side};
use crate::error::Result;
use crate::git::Oid;
use crate::git::index::Index;
use crate::git::tree::walk::parse;

/// Returns the object at a path in an object's tree; an empty path is the tree.
pub fn in_tree(resolver: &Resolver<'_>, id: &Oid, path: &[u8]) -> Result<Option<Oid>> {
    let Some(mut tree) = resolver.peel_to(*id, Kind::Tree)? else { return Ok(None) };
    let path = resolver.repository.path_from_root(path, &resolver.asked)?;
    let mut rest = &path[..];
    while !rest.is_empty() {
        resolver.cancel.check()?;
        let (name, below) = match rest.iter().position(|&byte| byte == b'/') {
            Some(slash) => (&rest[..slash], Some(&rest[slash + 1..])),
            None => (rest, None),
        };
        let bytes = resolver.objects.tree(&tree)?;
        let mut entries = &bytes[..];
        let found = loop {
            if entries.is_empty() {
                return Ok(None);
            }
            let (entry, after) = parse(entries, tree.as_bytes().len())
                .map_err(|what| resolver.objects.bad_tree(&tree, what))?;
            if entry.name == name {
                break entry.entry();
            }
            entries = after;
        };
        match below {
            None => return Ok(Some(found.oid)),
            Some(_) if !found.mode.is_directory() => return Ok(None),
            Some(below) => {
                tree = found.oid;
                rest = below;
            }
        }
    }
    Ok(Some(tree))
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
