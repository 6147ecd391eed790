//! A file or directory of a tree or of the index: `HEAD:path`, `:path`, `:2:path`.

use gix::objs::Kind;

use super::Revision;
use super::resolve::Resolver;
use crate::error::{Error, Result, quoted};
use crate::git::Oid;
use crate::git::repository::Repository;
use crate::git::tree::entries::parse;
use crate::git::index::Index;

impl Resolver<'_> {
    /// Returns what a path names in the tree that an object leads to; an empty path is the tree.
    pub(super) fn in_tree(&self, id: &Oid, path: &[u8]) -> Result<Option<Oid>> {
        let Some(mut tree) = self.peel_to(*id, Kind::Tree)? else { return Ok(None) };
        let path = self.repository.path_from_root(path, &self.asked)?;
        let mut rest = &path[..];
        while !rest.is_empty() {
            self.cancel.check()?;
            let (name, below) = match rest.iter().position(|&byte| byte == b'/') {
                Some(slash) => (&rest[..slash], Some(&rest[slash + 1..])),
                None => (rest, None),
            };
            let bytes = self.objects.tree(&tree)?;
            let mut entries = &bytes[..];
            let found = loop {
                if entries.is_empty() {
                    return Ok(None);
                }
                let (entry, after) = parse(entries, tree.as_bytes().len())
                    .map_err(|what| self.objects.bad_tree(&tree, what))?;
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

    /// Returns what the index has for `path` or `stage:path`.
    pub(super) fn staged(&self, name: &[u8]) -> Result<Option<Oid>> {
        let (stage, path) = match name {
            [stage @ b'0'..=b'3', b':', path @ ..] => (stage - b'0', path),
            path => (0, path),
        };
        let path = self.repository.path_from_root(path, &self.asked)?;
        if path.is_empty() {
            return Ok(None);
        }
        self.repository.check_side(Revision::Index)?;
        let index = Index::read(self.repository)?;
        Ok(index
            .find(&path)
            .iter()
            .find(|version| version.stage == stage)
            .map(|version| version.entry.oid))
    }
}

impl Repository {
    /// Returns the path from the root of what `path` names in `asked`, as in git's `rev:path`: one that begins with `./` or
    /// `../` starts at the directory that the argument `repo` named.
    ///
    /// # Errors
    /// `invalid_args` where such a path leads outside, or there is no work tree.
    pub fn path_from_root(&self, path: &[u8], asked: &str) -> Result<Vec<u8>> {
        if !path.starts_with(b"./") && !path.starts_with(b"../") {
            return Ok(path.to_vec());
        }
        let refused = |what: &str, hint: &str| {
            Error::invalid_args(format!("{} names {what}", quoted(asked)))
                .with_hint(hint.to_owned())
        };
        let location = &self.location;
        if location.work_tree.is_none() {
            let hint = "Write the path from the root of the repository, without './'";
            return Err(refused(
                "a path relative to a directory, and a bare repository has no work tree",
                hint,
            ));
        }
        let mut names: Vec<&[u8]> = Vec::new();
        for name in
            location.directory.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/'))
        {
            match name {
                b"" | b"." => {}
                b".." => {
                    if names.pop().is_none() {
                        let hint = "A relative path starts at the directory that the argument 'repo' names";
                        return Err(refused("a path outside of the work tree", hint));
                    }
                }
                name => names.push(name),
            }
        }
        let mut whole = names.join(&b'/');
        let last = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if matches!(last, b"" | b"." | b"..") && !whole.is_empty() {
            whole.push(b'/');
        }
        Ok(whole)
    }

    /// Returns the same of a file that an argument names.
    ///
    /// # Errors
    /// As above, and `invalid_args` where the directory has a name that is no UTF-8.
    pub fn file_from_root(&self, file: &str) -> Result<String> {
        String::from_utf8(self.path_from_root(file.as_bytes(), file)?).map_err(|_| {
            Error::invalid_args(format!(
                "{} starts at a directory whose name is not valid UTF-8",
                quoted(file)
            ))
            .with_hint("Name the repository by its root")
        })
    }
}
