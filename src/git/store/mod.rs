//! The gate: the only module that opens files of a repository.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | directories of a repository and the files opened below them, with redline's errors |
//! | `locate` | the repository of a path, and its work tree |
//! | `config` | its configuration, and the check of its format |
//! | `alternates` | its object directories |
//! | `pack`, `loose` | the objects in them |
//! | `inflate` | room for an object, and inflating a large one in pieces |
//! | `graph`, `shallow` | links between commits, and the ends of a shallow history |
//! | `cache`, `counted_pairs`, `delta` | a cache of objects; a cache of line counts; applying
//! deltas |
//! | `kept` | the caches between queries |
//! | `writing` | what is written into a git directory |
//!
//! Files are regular files only, opened without waiting, read once and up to a limit, and parsed
//! by one parser. gix receives bytes and never a path; where its parser recurses on input, is
//! exponential or needs a mapping, our own code reads the format and is tested against git.
//!
//! Nothing is mapped, since a mapped file that is truncated ends the process: packs are read with
//! `pread` into a few windows per thread. An object that no pack or loose file gives, or that
//! cannot be read, is looked for again after the packs have been listed again, if their
//! directories have changed.
//!
//! A failure is never an absence: where a read fails, the query does. A rule of the architecture
//! test finds `.ok()`, `unwrap_or_default()`, `let Ok(…)` and the like after a call that reads,
//! and lists the exceptions with their reasons.

mod alternates;
pub(super) mod cache;
mod config;
pub(super) mod counted_pairs;
mod delta;
mod gate;
mod graph;
mod inflate;
mod kept;
mod lfs;
mod locate;
mod loose;
pub(super) mod pack;
mod shallow;
mod writing;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use gix::hash::{Kind as HashKind, Prefix};
use gix::objs::Kind;

pub use config::{read as read_config, stores_tables};
pub use gate::{Found, Gate, GitDirectory};
pub use graph::Graph;
use kept::Listed;
pub use kept::{Lease, Repositories};
pub use lfs::{LfsObject, open as lfs_object};
pub use locate::{Location, check_work_tree, is_repository, locate, with_configured_work_tree};
pub use pack::{Fault, KeptDeltas, Looked, PackReader, Packs};
pub use shallow::read as shallow;

use crate::Oid;
use crate::model::bytes::Bytes;
use crate::store::cache::Cache;
use crate::store::counted_pairs::CountedPairs;
use redline_base::budget::Budget;
use redline_base::error::Result;

/// The kind of an object and its content.
type Object = (Kind, Bytes);

/// The object directories of a repository and their open files, for one query.
pub struct ObjectStore {
    directories: Vec<GitDirectory>,
    listed: Mutex<Listed>,
    counted: Arc<CountedPairs>,
    kept: Arc<Repositories>,
    hash: HashKind,
}

/// The most times that packs are listed again for one object, if they keep changing.
const LISTINGS: usize = 16;

impl ObjectStore {
    /// Opens the objects of a repository; reuses cached packs.
    pub fn open(
        common_dir: &GitDirectory,
        hash: HashKind,
        kept: &Arc<Repositories>,
    ) -> Result<Self> {
        let directories = alternates::open(common_dir)?;
        let (listed, counted) = kept.packs(&directories, hash)?;
        let kept = Arc::clone(kept);
        Ok(Self { directories, listed: Mutex::new(listed), counted, kept, hash })
    }

    /// Returns the object directories, the repository's own first.
    pub fn directories(&self) -> &[GitDirectory] {
        &self.directories
    }

    /// Returns the hash kind of the ids.
    pub fn hash(&self) -> HashKind {
        self.hash
    }

    /// Returns the cache of line counts of packed blobs.
    pub fn counted_pairs(&self) -> &Arc<CountedPairs> {
        &self.counted
    }

    /// Creates a reader of packs for one thread, with the budget and the cache of its query.
    pub fn reader(&self, budget: Arc<Budget>, cache: Arc<Cache>) -> PackReader {
        PackReader::new(self.packs(), budget, cache)
    }

    /// Returns an object, and whether it was in a pack; `None` if it is missing. Packs are searched
    /// first, as in git.
    pub fn find(
        &self,
        id: &Oid,
        reader: &mut PackReader,
    ) -> std::result::Result<Option<(Object, bool)>, Fault> {
        let budget = Arc::clone(reader.budget());
        self.look(
            reader,
            |reader| Ok(reader.find(id)?.map(|object| (object, true))),
            || Ok(loose::find(&self.directories, id, &budget)?.map(|object| (object, false))),
        )
    }

    /// Returns the kind and the size of an object, reading as little as possible; `None` if it is
    /// missing.
    pub fn header(
        &self,
        id: &Oid,
        reader: &mut PackReader,
    ) -> std::result::Result<Option<(Kind, u64)>, Fault> {
        self.look(reader, |reader| reader.header(id), || loose::header(&self.directories, id))
    }

    /// Returns the size of an object, and its kind if that costs nothing more; `None` if it is
    /// missing.
    pub fn size(
        &self,
        id: &Oid,
        reader: &mut PackReader,
    ) -> std::result::Result<Option<(Option<Kind>, u64)>, Fault> {
        self.look(
            reader,
            |reader| reader.size(id),
            || Ok(loose::header(&self.directories, id)?.map(|(kind, size)| (Some(kind), size))),
        )
    }

    /// Returns the result from packs, else the result from loose objects. A missing or unreadable
    /// object may have been packed since the packs were listed: as in git, they are listed again.
    fn look<T>(
        &self,
        reader: &mut PackReader,
        packed: impl Fn(&mut PackReader) -> std::result::Result<Option<T>, Fault>,
        loose: impl Fn() -> std::result::Result<Option<T>, Fault>,
    ) -> std::result::Result<Option<T>, Fault> {
        let mut listings = 0..LISTINGS;
        loop {
            let fault = match packed(reader) {
                Ok(Some(found)) => return Ok(Some(found)),
                Err(fault) if !fault.may_be_mended() => return Err(fault),
                Ok(None) => None,
                Err(fault) => Some(fault),
            };
            let fault = match loose() {
                Ok(Some(found)) => return Ok(Some(found)),
                Err(fault) if !fault.may_be_mended() => return Err(fault),
                Ok(None) => fault,
                Err(other) => fault.or(Some(other)),
            };
            if listings.next().is_none() || !self.list_again(reader)? {
                return fault.map_or(Ok(None), Err);
            }
        }
    }

    /// Updates a thread's packs to the current ones; tells whether they have changed.
    fn list_again(&self, reader: &mut PackReader) -> Result<bool> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut have_changed = true;
        if reader.looks_in(&listed.packs) {
            if listed.is_current(&self.directories)? {
                return Ok(false);
            }
            let (now, _) = self.kept.packs(&self.directories, self.hash)?;
            have_changed = !now.packs.are(&listed.packs);
            *listed = now;
        }
        reader.look_in(Arc::clone(&listed.packs));
        Ok(have_changed)
    }

    /// Returns the packs as last listed.
    fn packs(&self) -> Arc<Packs> {
        Arc::clone(&self.listed.lock().unwrap_or_else(PoisonError::into_inner).packs)
    }

    /// Calls `each` with the ids of all objects that begin with `prefix`, packed or loose; one may
    /// come twice.
    pub fn each_with_prefix(&self, prefix: &Prefix, each: &mut dyn FnMut(&gix::oid)) -> Result<()> {
        self.each_packed(prefix, each)?;
        let loose = self.loose(prefix.as_oid().first_byte())?;
        loose.iter().filter(|id| prefix.cmp_oid(id).is_eq()).for_each(|id| each(id));
        Ok(())
    }

    /// Calls `each` with the ids of all packed objects that begin with `prefix`; one may come
    /// twice.
    pub fn each_packed(&self, prefix: &Prefix, each: &mut dyn FnMut(&gix::oid)) -> Result<()> {
        let listed = self.packs().each_with_prefix(prefix, each);
        listed.map_err(|fault| match (fault, self.directories.first()) {
            (Fault::System(error), Some(own)) => own.failed(error.into(), b"pack"),
            (fault, _) => fault.into(),
        })
    }

    /// Returns the ids of the loose objects that begin with a byte.
    pub fn loose(&self, first: u8) -> Result<Vec<Oid>> {
        loose::ids(&self.directories, first, self.hash)
    }

    /// Returns the number of packed objects as git counts them; a multi-pack-index counts an object
    /// in several packs once. A pack of such an index that git has opened counts again, as the
    /// only pack of an index always has been.
    pub fn packed_objects(&self) -> Result<u64> {
        let mut count = 0;
        let mut counted = HashSet::new();
        for store in &self.directories {
            let Some(directory) = store.directory(b"pack")? else { continue };
            let Some((objects, names)) = pack::covered(&directory, self.hash)? else { continue };
            count += if names.len() == 1 { 2 * objects } else { objects };
            counted.extend(names.iter().map(|name| directory.full(name)));
        }
        let packs = self.packs();
        let others = packs.packs.iter().filter(|(name, _)| !counted.contains(name));
        Ok(count + others.map(|(_, pack)| u64::from(pack.index.count())).sum::<u64>())
    }

    /// Returns the names of unusable packs.
    pub fn broken_packs(&self) -> Vec<Vec<u8>> {
        self.packs().broken.clone()
    }

    /// Returns the commit-graph; empty if there is none.
    pub fn graph(&self) -> Result<Arc<Graph>> {
        self.kept.graph(&self.directories, self.hash)
    }
}
