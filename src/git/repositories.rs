//! Repositories that stay open from one query to the next, with their packs mapped and what was read of them.
//!
//! What decides on access, the configuration and the references are looked at anew for every query. What is kept is
//! used while nothing shows that it is no longer what lies on disk.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::cache::Cache;
use super::locate::Location;
use super::packs::Packs;
use crate::limits;

/// How many repositories stay open; the one not used for longest is closed.
const MOST: usize = 8;

/// What a database keeps of repositories.
#[derive(Default)]
pub struct Repositories {
    open: Mutex<Vec<Kept>>,
    cache: Mutex<Option<Arc<Cache>>>,
    packs: AtomicU32,
}

/// An open repository, as gix has it, and its packs.
#[derive(Clone)]
pub(super) struct Opened {
    pub inner: Arc<gix::ThreadSafeRepository>,
    /// Mapped when the first object is read.
    pub packs: Arc<OnceLock<Arc<Packs>>>,
}

struct Kept {
    git_dir: PathBuf,
    state: State,
    opened: Opened,
}

/// What tells an open repository from the one on disk; its loose objects and references are read anew anyway.
#[derive(PartialEq, Eq)]
struct State {
    /// The bytes of the configuration.
    config: Vec<u8>,
    /// Files that gix reads once, by what `stat` says of them.
    files: Vec<Option<Stat>>,
    /// The names in the folders of packs; a pack's name is that of what it holds.
    packs: Vec<OsString>,
}

/// Device, inode, size, and the times of the last change in seconds and nanoseconds.
type Stat = [i64; 7];

impl Repositories {
    /// Returns the cache of a query that keeps `bytes`: that of the one before, if it has little in it. A full one
    /// would do harm: a history is read from its newest commit on, and what is kept is the end of the one before.
    pub(super) fn cache(&self, bytes: usize) -> Arc<Cache> {
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(cache) if cache.capacity() == bytes && cache.bytes() <= limits::KEPT_BYTES => Arc::clone(cache),
            _ => Arc::clone(kept.insert(Arc::new(Cache::new(bytes)))),
        }
    }

    /// Returns a number for a pack, which no other has had.
    pub(super) fn number(&self) -> u32 {
        self.packs.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the repository at a location whose configuration is `config`: the one that is open, or what `open`
    /// returns.
    pub(super) fn get<E>(
        &self,
        location: &Location,
        config: &[u8],
        open: impl FnOnce() -> Result<gix::ThreadSafeRepository, E>,
    ) -> Result<Opened, E> {
        let kept = {
            let mut all = self.lock();
            let found = all.iter().position(|kept| kept.git_dir == location.git_dir);
            found.map(|index| all.remove(index))
        };
        if let Some(kept) = kept
            && kept.state == State::of(location, config, &kept.opened)
        {
            let opened = kept.opened.clone();
            self.lock().push(kept);
            return Ok(opened);
        }
        let opened = Opened { inner: Arc::new(open()?), packs: Arc::default() };
        let state = State::of(location, config, &opened);
        let mut all = self.lock();
        all.push(Kept { git_dir: location.git_dir.clone(), state, opened: opened.clone() });
        if all.len() > MOST {
            all.remove(0);
        }
        Ok(opened)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    /// Returns the folders of objects: the repository's own, then those it borrows from.
    pub fn stores(&self, location: &Location) -> Vec<PathBuf> {
        let borrowed = self.inner.to_thread_local().objects.store_ref().alternate_db_paths().unwrap_or_default();
        std::iter::once(location.common_dir.join("objects")).chain(borrowed).collect()
    }
}

impl State {
    fn of(location: &Location, config: &[u8], opened: &Opened) -> Self {
        let stores = opened.stores(location);
        let own = ["packed-refs", "shallow"].map(|name| location.common_dir.join(name));
        let alternates = stores.iter().map(|store| store.join("info/alternates"));
        let files = own.into_iter().chain(alternates).map(|path| fs::metadata(path).ok().as_ref().map(stat)).collect();
        let folders = stores.iter().filter_map(|store| fs::read_dir(store.join("pack")).ok());
        let mut packs: Vec<OsString> = folders.flatten().flatten().map(|entry| entry.file_name()).collect();
        packs.sort();
        Self { config: config.to_vec(), files, packs }
    }
}

fn stat(found: &Metadata) -> Stat {
    let number = |number: u64| number as i64;
    [
        number(found.dev()),
        number(found.ino()),
        number(found.size()),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
    ]
}
