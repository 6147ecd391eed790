//! Reading objects, with errors of our own.

use std::cell::RefCell;
use std::sync::Arc;

use gix::objs::{Find, Kind};

use super::Oid;
use super::cache::Cache;
use super::packs::{Packs, Unpacker};
use crate::error::{Error, Result, quoted};
use crate::limits;

/// Reads objects for one thread.
pub struct Objects {
    pub(super) repo: gix::Repository,
    given: Arc<str>,
    packs: Arc<Packs>,
    cache: Arc<Cache>,
    unpacker: RefCell<Unpacker>,
}

impl Objects {
    pub(super) fn new(repo: gix::Repository, given: Arc<str>, packs: Arc<Packs>, cache: Arc<Cache>) -> Self {
        Self { repo, given, packs, cache, unpacker: RefCell::default() }
    }

    /// Returns a tree's entries; the empty tree needs no object.
    pub fn tree(&self, id: &Oid) -> Result<Arc<Vec<u8>>> {
        if id.is_empty_tree() { Ok(Arc::default()) } else { self.read(id, Kind::Tree) }
    }

    /// Returns a blob's bytes.
    pub fn blob(&self, id: &Oid) -> Result<Arc<Vec<u8>>> {
        self.read(id, Kind::Blob)
    }

    /// Returns a commit's bytes.
    pub fn commit(&self, id: &Oid) -> Result<Arc<Vec<u8>>> {
        self.read(id, Kind::Commit)
    }

    /// Returns a blob's size in bytes from its header alone.
    pub fn blob_size(&self, id: &Oid) -> Result<u64> {
        if let Some(object) = self.packs.find_cached(id, &self.cache)
            && object.kind == Kind::Blob
        {
            return Ok(object.bytes.len() as u64);
        }
        match self.repo.try_find_header(*id) {
            Ok(Some(header)) if header.kind() == Kind::Blob => Ok(header.size()),
            Ok(Some(header)) => Err(self.wrong_kind(id, header.kind(), Kind::Blob)),
            Ok(None) => Err(self.missing(id)),
            Err(error) => Err(self.damaged(id).with_source(error)),
        }
    }

    /// Returns an object's kind and its size in bytes, `None` where it is missing.
    pub fn header(&self, id: &Oid) -> Result<Option<(Kind, u64)>> {
        match self.repo.try_find_header(*id) {
            Ok(header) => Ok(header.map(|header| (header.kind(), header.size()))),
            Err(error) => Err(self.damaged(id).with_source(error)),
        }
    }

    /// Returns an object of any kind, `None` where it is missing.
    pub fn object(&self, id: &Oid) -> Result<Option<(Kind, Arc<Vec<u8>>)>> {
        if let Some(object) = self.packs.find(id, &self.cache, &mut self.unpacker.borrow_mut()) {
            return Ok(Some((object.kind, object.bytes)));
        }
        match self.header(id)? {
            Some((kind, _)) => self.read(id, kind).map(|bytes| Some((kind, bytes))),
            None => Ok(None),
        }
    }

    /// Calls `each` with the ids of all objects that begin as `prefix`, packed or loose; one may come twice.
    pub fn each_with_prefix(&self, prefix: gix::hash::Prefix, each: &mut dyn FnMut(&gix::oid)) {
        self.packs.each_with_prefix(prefix, &mut *each);
        let store = self.repo.objects.store_ref();
        let borrowed = store.alternate_db_paths().unwrap_or_default();
        let first = format!("{:02x}", prefix.as_oid().first_byte());
        for path in std::iter::once(store.path().to_owned()).chain(borrowed) {
            for entry in std::fs::read_dir(path.join(&first)).into_iter().flatten().flatten() {
                let name = format!("{first}{}", entry.file_name().to_string_lossy());
                if let Ok(id) = Oid::from_hex(name.as_bytes())
                    && id.kind() == prefix.as_oid().kind()
                    && prefix.cmp_oid(&id).is_eq()
                {
                    each(&id);
                }
            }
        }
    }

    fn read(&self, id: &Oid, expected: Kind) -> Result<Arc<Vec<u8>>> {
        if let Some(object) = self.packs.find(id, &self.cache, &mut self.unpacker.borrow_mut())
            && object.kind == expected
        {
            return Ok(object.bytes);
        }
        let mut bytes = Vec::new();
        match self.repo.objects.try_find(id, &mut bytes) {
            Ok(Some(data)) if data.kind == expected => Ok(Arc::new(bytes)),
            Ok(Some(data)) => Err(self.wrong_kind(id, data.kind, expected)),
            Ok(None) => Err(self.missing(id)),
            Err(error) => match self.repo.try_find_header(*id) {
                Ok(Some(header)) if header.size() > limits::OBJECT_BYTES => Err(Error::too_large(format!(
                    "object {id} has {} bytes, over the limit of {}",
                    header.size(),
                    limits::OBJECT_BYTES
                ))),
                _ => Err(self.damaged(id).with_source(error)),
            },
        }
    }

    fn missing(&self, id: &Oid) -> Error {
        Error::tool_failed(format!("object {id} is missing from the repository at {}", quoted(&self.given)))
            .with_hint("A partial clone lacks objects until git fetches them; otherwise run 'git fsck' there")
    }

    fn damaged(&self, id: &Oid) -> Error {
        Error::tool_failed(format!("object {id} of the repository at {} is damaged", quoted(&self.given)))
            .with_hint("Run 'git fsck' there")
    }

    fn wrong_kind(&self, id: &Oid, found: Kind, expected: Kind) -> Error {
        Error::tool_failed(format!(
            "object {id} of the repository at {} is a {found} where a {expected} was expected",
            quoted(&self.given)
        ))
        .with_hint("Run 'git fsck' there")
    }

    /// Returns an error about a commit's content.
    pub(super) fn bad_commit(&self, id: &Oid, what: &str) -> Error {
        Error::tool_failed(format!("commit {id} of the repository at {} {what}", quoted(&self.given)))
            .with_hint("Run 'git fsck' there")
    }

    /// Returns an error about a tree's content.
    pub(super) fn bad_tree(&self, id: &Oid, what: &str) -> Error {
        Error::tool_failed(format!("tree {id} of the repository at {} {what}", quoted(&self.given)))
            .with_hint("Run 'git fsck' there")
    }
}
