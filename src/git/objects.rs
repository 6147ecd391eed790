//! Reading objects, with errors of our own.

use std::sync::Arc;

use gix::objs::{Find, Kind};

use super::Oid;
use crate::error::{Error, Result, quoted};
use crate::limits;

/// Reads objects for one thread.
pub struct Objects {
    pub(super) repo: gix::Repository,
    given: Arc<str>,
}

impl Objects {
    pub(super) fn new(repo: gix::Repository, given: Arc<str>) -> Self {
        Self { repo, given }
    }

    /// Reads a tree's entries into `buffer`; the empty tree needs no object.
    pub fn tree(&self, id: &Oid, buffer: &mut Vec<u8>) -> Result<()> {
        if id.is_empty_tree() {
            buffer.clear();
            return Ok(());
        }
        self.read(id, Kind::Tree, buffer)
    }

    /// Reads a blob's bytes into `buffer`.
    pub fn blob(&self, id: &Oid, buffer: &mut Vec<u8>) -> Result<()> {
        self.read(id, Kind::Blob, buffer)
    }

    /// Returns a blob's size in bytes from its header alone.
    pub fn blob_size(&self, id: &Oid) -> Result<u64> {
        match self.repo.try_find_header(*id) {
            Ok(Some(header)) if header.kind() == Kind::Blob => Ok(header.size()),
            Ok(Some(header)) => Err(self.wrong_kind(id, header.kind(), Kind::Blob)),
            Ok(None) => Err(self.missing(id)),
            Err(error) => Err(self.damaged(id).with_source(error)),
        }
    }

    fn read(&self, id: &Oid, expected: Kind, buffer: &mut Vec<u8>) -> Result<()> {
        match self.repo.objects.try_find(id, buffer) {
            Ok(Some(data)) if data.kind == expected => Ok(()),
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

    /// Returns an error about a tree's content.
    pub(super) fn bad_tree(&self, id: &Oid, what: &str) -> Error {
        Error::tool_failed(format!("tree {id} of the repository at {} {what}", quoted(&self.given)))
            .with_hint("Run 'git fsck' there")
    }
}
