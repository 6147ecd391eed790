//! Caches that are kept between queries: packs, commit-graphs, objects and indexes.
//!
//! The directories of a repository and all small files are opened again for every query. A parsed
//! file is used again while the file's device, inode, size and times are unchanged.
//!
//! A database keeps the packs, commit-graphs and indexes of the last eight repositories, the
//! objects that were read, `packed-refs` and the lists of reftables; what all databases of the
//! process keep is bounded by `redline_cache_bytes`. Access, directories, configuration and
//! references are checked for every query. An index is kept once it is two seconds old, and
//! remembers a tree that was found to hold the same files. Of packs, which other clones may link,
//! the time of the last change of the inode does not count.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use gix::hash::Kind;

use super::gate::GitDirectory;
use super::graph::Graph;
use super::pack::{Fault, Pack, PackIndex, Packs};
use crate::store::cache::Cache;
use crate::store::counted_pairs::CountedPairs;
use redline_base::budget::KEPT;
use redline_base::error::Result;
use redline_base::limits;
use redline_sandbox::Stamp;

/// The number of open repositories; the least recently used one is closed.
const MAX_OPEN: usize = 8;

/// A parsed file is cached only if it was not modified for this long: a second write within one
/// tick of the file system's clock leaves no trace, and some file systems have whole seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// The caches of a database.
#[derive(Default)]
pub struct Repositories {
    open: Mutex<Vec<RepositoryCaches>>,
    made: Mutex<Vec<Made>>,
    cache: Mutex<Option<Arc<Cache>>>,
    packs: AtomicU32,
    /// The bytes of this database that are counted in the process's cache.
    counted: Mutex<usize>,
}

/// The lease of a query on the caches; at its end, bytes over the process's limit are released.
pub struct Lease(Arc<Repositories>);

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// A parsed file; the caller knows the type.
struct Made {
    stamp: Stamp,
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
}

/// The caches of one repository.
#[derive(Clone)]
struct RepositoryCaches {
    /// The device and inode of its object directory.
    identity: (u64, u64),
    packs: Arc<Opened>,
    graph: Option<Arc<Graph>>,
    /// Line counts of pairs of blobs in these packs.
    counted: Arc<CountedPairs>,
}

impl RepositoryCaches {
    fn of(identity: (u64, u64)) -> Self {
        Self { identity, packs: Arc::default(), graph: None, counted: Arc::default() }
    }

    /// Returns the bytes that are held in memory.
    fn bytes(&self) -> usize {
        let tables = self.packs.values().map(|pack| pack.index.table.kept_bytes());
        let graph = self.graph.as_ref().map_or(0, |graph| graph.bytes());
        tables.sum::<usize>() + graph + self.counted.bytes()
    }
}

impl Drop for Repositories {
    fn drop(&mut self) {
        KEPT.sub(*self.counted.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Packs by the stamps of their index and their data.
type Opened = HashMap<[Stamp; 2], Arc<Pack>>;

/// The packs of a query, and the states of their directories.
pub struct Listed {
    /// The packs.
    pub packs: Arc<Packs>,
    /// The stamp of each pack directory before it was listed, `None` if there was none; `None`
    /// altogether if packs may have been added since without a trace.
    states: Option<Vec<Option<Stamp>>>,
}

impl Listed {
    /// Tells whether no pack was added or removed since.
    pub fn is_current(&self, stores: &[GitDirectory]) -> Result<bool> {
        let Some(states) = &self.states else { return Ok(false) };
        for (store, state) in stores.iter().zip(states) {
            if store.stamp(b"pack")? != *state {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Repositories {
    /// Returns the cache of a query with a limit of `bytes`: the previous one, if it has little in
    /// it. A full one would do harm: a history is read from its newest commit on, and the cache has
    /// the end of the last one.
    pub fn cache(&self, bytes: usize) -> Arc<Cache> {
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(cache) if cache.capacity() == bytes && cache.bytes() <= limits::KEPT_BYTES => {
                Arc::clone(cache)
            }
            _ => Arc::clone(kept.insert(Arc::new(Cache::new(bytes)))),
        }
    }

    /// Returns the packs in a repository's object directories, its own first, and the line counts
    /// of their blobs.
    pub fn packs(
        &self,
        stores: &[GitDirectory],
        hash: Kind,
    ) -> Result<(Listed, Arc<CountedPairs>)> {
        let kept = self.of(stores)?;
        let mut states = Vec::new();
        for store in stores {
            states.push(store.stamp(b"pack")?);
        }
        let is_settled = states.iter().flatten().all(|&state| is_settled(state));
        let (packs, opened) = self.open_all(stores, hash, &kept.packs)?;
        let counted = self.keep(kept.identity, |kept| {
            let files = |opened: &Opened| -> HashSet<_> {
                opened.keys().map(|stamps| stamps.map(Stamp::without_times)).collect()
            };
            // A blob of a removed pack may be gone too, which must give an error, not a count.
            if !files(&kept.packs).is_subset(&files(&opened)) {
                kept.counted = Arc::default();
            }
            kept.packs = Arc::new(opened);
            Arc::clone(&kept.counted)
        });
        let states = is_settled.then_some(states);
        Ok((Listed { packs: Arc::new(packs), states }, counted))
    }

    /// Returns the commit-graph of the first store that has one; empty if none has.
    pub fn graph(&self, stores: &[GitDirectory], hash: Kind) -> Result<Arc<Graph>> {
        let kept = self.of(stores)?;
        let graph = Graph::current(stores, hash, kept.graph);
        self.keep(kept.identity, |kept| kept.graph = graph.as_ref().ok().map(Arc::clone));
        graph
    }

    /// Returns the cached value of an unchanged file.
    pub fn made<T: Send + Sync + 'static>(&self, stamp: Stamp) -> Option<Arc<T>> {
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.iter().position(|made| made.stamp == stamp)?;
        all[found..].rotate_left(1);
        Arc::clone(&all.last()?.value).downcast().ok()
    }

    /// Caches a parsed file of `bytes` bytes; one modified within a clock tick is not cached.
    pub fn keep_made<T: Send + Sync + 'static>(&self, stamp: Stamp, value: &Arc<T>, bytes: usize) {
        if !is_settled(stamp) {
            return;
        }
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        // A rewritten file has the same identity.
        all.retain(|made| made.stamp.identity() != stamp.identity());
        all.push(Made { stamp, value: Arc::clone(value) as _, bytes });
        if all.len() > MAX_OPEN {
            all.remove(0);
        }
    }

    /// Returns the lease of a query.
    pub fn lease(self: &Arc<Self>) -> Lease {
        static ALL: Mutex<Vec<Weak<Repositories>>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        if !all.iter().any(|other| std::ptr::eq(other.as_ptr(), Arc::as_ptr(self))) {
            all.push(Arc::downgrade(self));
        }
        // The limit may have been lowered since earlier queries, in other databases too.
        if KEPT.excess() > 0 {
            let others: Vec<_> = all.iter().filter_map(Weak::upgrade).collect();
            drop(all);
            others.iter().for_each(|other| other.give_back());
        }
        Lease(Arc::clone(self))
    }

    /// Releases bytes over the process's limit, and counts the rest.
    fn give_back(&self) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        KEPT.sub(std::mem::take(&mut *counted));
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.take_if(|cache| cache.bytes() > limits::KEPT_BYTES);
        loop {
            let objects = cache.as_ref().map_or(0, |cache| cache.bytes());
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            let files = made.iter().map(|made| made.bytes).sum::<usize>();
            let bytes =
                objects + files + self.lock().iter().map(RepositoryCaches::bytes).sum::<usize>();
            if KEPT.add(bytes) {
                *counted = bytes;
                return;
            }
            // Objects first, as they are read again soonest; then the least recently used
            // repositories.
            if cache.take().is_some() {
                continue;
            }
            let mut open = self.lock();
            if !made.is_empty() {
                made.remove(0);
            } else if !open.is_empty() {
                open.remove(0);
            } else {
                return;
            }
        }
    }

    /// Returns the caches of a repository. They stay for other threads meanwhile: a pack that is
    /// opened again would be a different one to the object cache.
    fn of(&self, stores: &[GitDirectory]) -> Result<RepositoryCaches> {
        let identity = match stores.first() {
            Some(own) => own.own_stamp()?.identity(),
            None => (0, 0),
        };
        let found = self.lock().iter().find(|kept| kept.identity == identity).cloned();
        Ok(found.unwrap_or_else(|| RepositoryCaches::of(identity)))
    }

    /// Changes the caches of a repository, and marks it as used last.
    fn keep<T>(&self, identity: (u64, u64), change: impl FnOnce(&mut RepositoryCaches) -> T) -> T {
        let mut all = self.lock();
        let found = all.iter().position(|kept| kept.identity == identity);
        let mut kept =
            found.map_or_else(|| RepositoryCaches::of(identity), |index| all.remove(index));
        let changed = change(&mut kept);
        all.push(kept);
        if all.len() > MAX_OPEN {
            all.remove(0);
        }
        changed
    }

    /// Opens the packs of all stores; reuses known, unchanged ones.
    fn open_all(
        &self,
        stores: &[GitDirectory],
        hash: Kind,
        known: &Opened,
    ) -> Result<(Packs, Opened)> {
        let (mut packs, mut opened, mut broken) = (Vec::new(), Opened::new(), Vec::new());
        for store in stores {
            let Some(directory) = store.directory(b"pack")? else { continue };
            let mut names: Vec<Vec<u8>> =
                directory.entries()?.into_iter().map(|entry| entry.name).collect();
            names.retain(|name| name.ends_with(b".idx"));
            names.sort();
            for index in names {
                let data = [&index[..index.len() - 4], b".pack"].concat();
                let (Some(first), Some(second)) =
                    (directory.stamp(&index)?, directory.stamp(&data)?)
                else {
                    continue;
                };
                let pack = match known.get(&[first, second].map(Stamp::without_links)) {
                    Some(pack) => Arc::clone(pack),
                    None => match self.open(&directory, [&index, &data], hash) {
                        Ok(Some(pack)) => Arc::new(pack),
                        // It was replaced meanwhile, for example by a repack.
                        Ok(None) | Err(Fault::Changed) => continue,
                        Err(Fault::System(error)) => {
                            return Err(directory.failed(error.into(), &index));
                        }
                        Err(Fault::Damaged) => {
                            broken.push(directory.full(&index));
                            continue;
                        }
                        Err(fault) => return Err(fault.into()),
                    },
                };
                opened.insert(pack.stamps().map(Stamp::without_links), Arc::clone(&pack));
                packs.push((directory.full(&index), pack));
            }
        }
        Ok((Packs { packs, broken }, opened))
    }

    /// Opens a pack by the names of its two files; `None` if one is gone.
    fn open(
        &self,
        directory: &GitDirectory,
        [index, data]: [&[u8]; 2],
        hash: Kind,
    ) -> std::result::Result<Option<Pack>, Fault> {
        let (Some(index), Some(data)) = (directory.pooled(index)?, directory.pooled(data)?) else {
            return Ok(None);
        };
        let number = self.packs.fetch_add(1, Ordering::Relaxed);
        Pack::open(number, PackIndex::open(index, hash)?, data, hash).map(Some)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RepositoryCaches>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells whether a file or directory was modified so long ago that another write will leave a
/// trace.
fn is_settled(stamp: Stamp) -> bool {
    let written = u64::try_from(stamp.modified().seconds).ok().map(Duration::from_secs);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok();
    written.zip(now).is_some_and(|(written, now)| now > written + SETTLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cache::Object;

    #[test]
    fn threads_that_open_one_repository_at_once_keep_what_each_has_found() {
        let repositories = Repositories::default();
        let graph = Arc::new(Graph::default());
        repositories.keep((1, 2), |kept| kept.graph = Some(Arc::clone(&graph)));
        repositories.keep((3, 4), |_| ());
        // This one began before there was a graph.
        repositories.keep((1, 2), |kept| kept.packs = Arc::default());
        let all = repositories.lock();
        assert_eq!(all.iter().map(|kept| kept.identity).collect::<Vec<_>>(), [(3, 4), (1, 2)]);
        assert!(all[1].graph.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, &graph)));
    }

    #[test]
    fn what_is_kept_is_given_back_when_the_limit_is_lowered() {
        let repositories = Arc::new(Repositories::default());
        let object = Object { kind: gix::objs::Kind::Blob, bytes: Arc::new(vec![0; 10_000]) };
        let lease = repositories.lease();
        repositories.cache(1 << 20).put((0, 0), object);
        drop(lease);
        assert!(*repositories.counted.lock().unwrap() >= 10_000);
        assert!(KEPT.current() >= 10_000);
        let limit = KEPT.limit();
        KEPT.set_limit(5_000);
        drop(repositories.lease());
        assert_eq!(*repositories.counted.lock().unwrap(), 0);
        assert_eq!(repositories.cache(1 << 20).bytes(), 0);
        KEPT.set_limit(limit);
    }
}
