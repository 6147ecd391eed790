//! The gate: every file of a repository is opened here, and nowhere else.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | directories of a repository and the files that are opened beneath them, with errors of our own |
//! | `locate` | the repository that a path names |
//! | `work_tree` | the work tree that the configuration names |
//! | `config` | its configuration, and whether its format is one that we read right |
//! | `alternates` | its object directories |
//! | `pack`, `loose` | objects in them |
//! | `graph`, `shallow` | links between commits, and where they end |
//! | `index` | the index |
//! | `kept` | what stays open from one query to the next |

mod alternates;
mod config;
mod gate;
mod graph;
pub mod index;
mod kept;
mod locate;
mod loose;
pub(super) mod pack;
mod shallow;
mod work_tree;

use std::collections::HashSet;
use std::sync::Arc;

use gix::hash::{Kind as HashKind, Prefix};
use gix::objs::Kind;

pub use config::read as read_config;
pub use gate::{Found, Gate, GitDirectory};
pub use graph::Graph;
pub use kept::{Lease, Repositories};
pub use locate::{Location, check_work_tree, locate};
pub use pack::{Fault, Packs, Unpacker};
pub use work_tree::configured as with_configured_work_tree;

use super::Oid;
use crate::error::Result;
use crate::git::objects::cache::{Cache, Object};
use crate::git::objects::counted_pairs::CountedPairs;

/// The object directories of a repository and what is open in them, for one query.
pub struct ObjectStore {
    directories: Vec<GitDirectory>,
    packs: Arc<Packs>,
    counted: Arc<CountedPairs>,
    hash: HashKind,
}

impl ObjectStore {
    /// Opens the objects of a repository; packs that are kept are used again.
    pub fn open(common_dir: &GitDirectory, hash: HashKind, kept: &Repositories) -> Result<Self> {
        let directories = alternates::open(common_dir)?;
        let (packs, counted) = kept.packs(&directories, hash)?;
        Ok(Self { directories, packs, counted, hash })
    }

    /// Returns the object directories, the repository's own first.
    pub fn directories(&self) -> &[GitDirectory] {
        &self.directories
    }

    /// Returns the kind of the ids.
    pub fn hash(&self) -> HashKind {
        self.hash
    }

    /// Returns the pairs of packed blobs whose lines were counted.
    pub fn counted_pairs(&self) -> &Arc<CountedPairs> {
        &self.counted
    }

    /// Returns an object and whether it is packed, `None` where it is missing. Packs are asked first, as git does.
    pub fn find(
        &self,
        id: &Oid,
        cache: &Cache,
        unpacker: &mut Unpacker,
    ) -> std::result::Result<Option<(Object, bool)>, Fault> {
        let packed = self.packs.find(id, cache, unpacker);
        if let Ok(Some(object)) = packed {
            return Ok(Some((object, true)));
        }
        match loose::find(&self.directories, id)? {
            Some((kind, bytes)) => Ok(Some((Object { kind, bytes: Arc::new(bytes) }, false))),
            None => packed.map(|_| None),
        }
    }

    /// Returns the kind and the size of an object, of which as little is read as tells them; `None` where it is missing.
    pub fn header(
        &self,
        id: &Oid,
        cache: &Cache,
        unpacker: &mut Unpacker,
    ) -> std::result::Result<Option<(Kind, u64)>, Fault> {
        let packed = self.packs.header(id, cache, unpacker);
        if let Ok(Some(header)) = packed {
            return Ok(Some(header));
        }
        match loose::header(&self.directories, id)? {
            Some(header) => Ok(Some(header)),
            None => packed,
        }
    }

    /// Returns the size of an object, and its kind where finding it costs nothing more; `None` where it is missing.
    pub fn size(
        &self,
        id: &Oid,
        cache: &Cache,
        unpacker: &mut Unpacker,
    ) -> std::result::Result<Option<(Option<Kind>, u64)>, Fault> {
        let packed = self.packs.size(id, cache, unpacker);
        if let Ok(Some(size)) = packed {
            return Ok(Some(size));
        }
        match loose::header(&self.directories, id)? {
            Some((kind, size)) => Ok(Some((Some(kind), size))),
            None => packed,
        }
    }

    /// Calls `each` with the ids of all objects that begin as `prefix`, packed or loose; one may come twice.
    pub fn each_with_prefix(&self, prefix: &Prefix, each: &mut dyn FnMut(&gix::oid)) -> Result<()> {
        self.each_packed(prefix, each);
        let loose = self.loose(prefix.as_oid().first_byte())?;
        loose.iter().filter(|id| prefix.cmp_oid(id).is_eq()).for_each(|id| each(id));
        Ok(())
    }

    /// Calls `each` with the ids of all packed objects that begin as `prefix`; one may come twice.
    pub fn each_packed(&self, prefix: &Prefix, each: &mut dyn FnMut(&gix::oid)) {
        // git passes over an index that it cannot read, too.
        let _ = self.packs.each_with_prefix(prefix, each);
    }

    /// Returns the ids of the loose objects that begin with a byte.
    pub fn loose(&self, first: u8) -> Result<Vec<Oid>> {
        loose::ids(&self.directories, first, self.hash)
    }

    /// Returns how many objects are in packs; those in several count once where a multi-pack-index tells.
    pub fn packed_objects(&self) -> Result<u64> {
        let mut count = 0;
        let mut counted = HashSet::new();
        for store in &self.directories {
            let Some(directory) = store.directory(b"pack")? else { continue };
            let Some((objects, names)) = pack::covered(&directory, self.hash)? else { continue };
            count += objects;
            counted.extend(names.iter().map(|name| directory.full(name)));
        }
        let others = self.packs.iter().filter(|(name, _)| !counted.contains(*name));
        Ok(count + others.map(|(_, pack)| u64::from(pack.index().count())).sum::<u64>())
    }

    /// Returns the names of packs that cannot be used.
    pub fn broken_packs(&self) -> &[Vec<u8>] {
        self.packs.broken()
    }

    /// Returns the commit-graph; an empty one where there is none.
    pub fn graph(&self, kept: &Repositories) -> Result<Arc<Graph>> {
        kept.graph(&self.directories, self.hash)
    }
}

/// Reads the ids of the commits at which a shallow history ends; none where it is whole.
pub fn shallow(common_dir: &GitDirectory) -> Result<HashSet<Oid>> {
    shallow::read(common_dir)
}
