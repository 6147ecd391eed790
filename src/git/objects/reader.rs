//! Reads objects, with redline's errors.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::objs::Kind;

use crate::model::bytes::Bytes;
use crate::model::tree_entry::parse;
use crate::store::cache::Cache;
use crate::store::counted_pairs::CountedPairs;
use crate::store::{Fault, KeptDeltas, Looked, ObjectStore, PackReader};
use crate::{Entry, Oid};
use redline_base::budget::Budget;
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_text::CancelToken;

/// The hint for what is damaged.
const FSCK: &str = "Run 'git fsck' there";

/// Reads objects for one thread.
pub struct Objects {
    given: Arc<str>,
    store: Arc<ObjectStore>,
    packs: RefCell<PackReader>,
    budget: Arc<Budget>,
    /// The number of requested objects that were in no pack.
    loose: Cell<u64>,
}

impl Objects {
    pub(crate) fn new(
        given: Arc<str>,
        store: Arc<ObjectStore>,
        cache: Arc<Cache>,
        budget: Arc<Budget>,
    ) -> Self {
        let packs = RefCell::new(store.reader(Arc::clone(&budget), cache));
        Self { given, store, packs, budget, loose: Cell::new(0) }
    }

    /// Returns the budget of reading.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Returns a token that ends the work when the budget does.
    pub fn cancel(&self) -> CancelToken<'_> {
        CancelToken::of(&self.budget)
    }

    /// Keeps of the chain that is read next only the object itself and `other`, if that is in it,
    /// as two versions alone are compared; without `other`, nothing.
    pub fn keep_pair(&self, other: Option<Oid>) {
        self.packs.borrow_mut().keep(KeptDeltas::Pair(other));
    }

    /// Returns the hash kind of the repository's ids.
    pub fn hash(&self) -> gix::hash::Kind {
        self.store.hash()
    }

    /// Returns a tree's entries; the empty tree needs no object.
    pub fn tree(&self, id: &Oid) -> Result<Bytes> {
        if id.is_empty_tree() { Ok(Bytes::default()) } else { self.read(id, Kind::Tree) }
    }

    /// Returns the first entry of a tree with a name, without making the tree where it is large;
    /// else reads all entries, as those of a damaged tree may be unsorted.
    pub fn tree_entry(&self, tree: &Oid, name: &[u8]) -> Result<Option<Entry>> {
        let looked = self.packs.borrow_mut().look_in_tree(tree, name);
        let bytes = match looked {
            Ok(Some(Looked::Entry(entry))) => return Ok(entry),
            Ok(Some(Looked::Tree(bytes))) => bytes,
            Err(fault) if !fault.may_be_mended() => return Err(self.failed(tree, fault)),
            // It is in no pack, or damaged, or no tree: to read it mends that or says so.
            Ok(None) | Err(_) => self.tree(tree)?,
        };
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (entry, after) =
                parse(rest, tree.as_bytes().len()).map_err(|what| self.bad_tree(tree, what))?;
            if entry.name == name {
                return Ok(Some(entry.entry()));
            }
            rest = after;
        }
        Ok(None)
    }

    /// Returns a blob's bytes.
    pub fn blob(&self, id: &Oid) -> Result<Bytes> {
        self.read(id, Kind::Blob)
    }

    /// Returns a commit's bytes.
    pub fn commit(&self, id: &Oid) -> Result<Bytes> {
        self.read(id, Kind::Commit)
    }

    /// Returns a blob's size in bytes. Like `git ls-tree -l`, does not read the bases of a delta
    /// for its kind.
    pub fn blob_size(&self, id: &Oid) -> Result<u64> {
        let size = self.store.size(id, &mut self.packs.borrow_mut());
        match size.map_err(|fault| self.failed(id, fault))? {
            Some((None | Some(Kind::Blob), size)) => Ok(size),
            Some((Some(kind), _)) => Err(self.wrong_kind(id, kind, Kind::Blob)),
            None => Err(self.missing(id)),
        }
    }

    /// Returns the kind and the size of an object, reading as little as possible; `None` if it is
    /// missing.
    pub fn header(&self, id: &Oid) -> Result<Option<(Kind, u64)>> {
        let header = self.store.header(id, &mut self.packs.borrow_mut());
        header.map_err(|fault| self.failed(id, fault))
    }

    /// Returns an object of any kind, `None` if it is missing.
    pub fn object(&self, id: &Oid) -> Result<Option<(Kind, Bytes)>> {
        let object = self.store.find(id, &mut self.packs.borrow_mut());
        let is_packed = matches!(object, Ok(Some((_, true))));
        self.loose.set(self.loose.get() + u64::from(!is_packed));
        let object = object.map_err(|fault| self.failed(id, fault))?;
        Ok(object.map(|(object, _)| object))
    }

    /// Returns the number of requested objects that were in no pack.
    pub fn loose_reads(&self) -> u64 {
        self.loose.get()
    }

    /// Returns the pairs of packed blobs whose lines were counted.
    pub fn counted_pairs(&self) -> &Arc<CountedPairs> {
        self.store.counted_pairs()
    }

    /// Calls `each` with the ids of all objects that begin with `prefix`, packed or loose; one may
    /// come twice.
    pub fn each_with_prefix(
        &self,
        prefix: gix::hash::Prefix,
        each: &mut dyn FnMut(&gix::oid),
    ) -> Result<()> {
        self.store.each_with_prefix(&prefix, each)
    }

    fn read(&self, id: &Oid, expected: Kind) -> Result<Bytes> {
        match self.object(id)? {
            Some((kind, bytes)) if kind == expected => Ok(bytes),
            Some((kind, _)) => Err(self.wrong_kind(id, kind, expected)),
            None => Err(self.missing(id)),
        }
    }

    fn missing(&self, id: &Oid) -> Error {
        let given = quoted(&self.given);
        if let Some(name) = self.store.broken_packs().first() {
            let name = quoted(&name.to_str_lossy());
            return Error::tool_failed(format!(
                "object {id} is missing from the repository at {given}, whose {name} is damaged"
            ))
            .with_hint(FSCK);
        }
        Error::tool_failed(format!("object {id} is missing from the repository at {given}"))
            .with_hint("A partial clone lacks objects until git fetches them; otherwise run 'git fsck' there")
    }

    /// Returns the error of an object that exists but cannot be read.
    fn failed(&self, id: &Oid, fault: Fault) -> Error {
        let given = quoted(&self.given);
        match fault {
            Fault::Damaged => self.bad("object", id, "is damaged"),
            Fault::Changed => Error::stale(format!(
                "a file of the repository at {given} was changed while object {id} was read from it"
            ))
            .with_hint("Ask again"),
            Fault::TooLarge(size) => Error::too_large(format!(
                "object {id} has {size} bytes, over the limit of {}",
                limits::OBJECT_BYTES
            )),
            Fault::NoMemory(size) => {
                Error::too_large(format!("not enough memory for the {size} bytes of object {id}"))
                    .with_hint("Ask for less at once, or give the process more memory")
            }
            Fault::System(error) => Error::tool_failed(format!(
                "object {id} of the repository at {given} cannot be read"
            ))
            .with_hint("Check the disk and the system's log")
            .with_source(error),
            Fault::Refused(error) => *error,
            Fault::Stopped(stopped) => stopped.into(),
        }
    }

    fn wrong_kind(&self, id: &Oid, found: Kind, expected: Kind) -> Error {
        self.bad("object", id, &format!("is a {found} where a {expected} was expected"))
    }

    /// Returns an error about a commit's content.
    pub(crate) fn bad_commit(&self, id: &Oid, what: &str) -> Error {
        self.bad("commit", id, what)
    }

    /// Returns the error of a history with a cycle at a commit.
    pub(crate) fn own_ancestor(&self, id: &Oid) -> Error {
        self.bad_commit(id, "is its own ancestor")
    }

    /// Returns an error about a tree's content.
    pub(crate) fn bad_tree(&self, id: &Oid, what: &str) -> Error {
        self.bad("tree", id, what)
    }

    fn bad(&self, kind: &str, id: &Oid, what: &str) -> Error {
        let given = quoted(&self.given);
        Error::tool_failed(format!("{kind} {id} of the repository at {given} {what}"))
            .with_hint(FSCK)
    }
}
