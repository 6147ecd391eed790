//! A pool of the process's handles that can be reopened: they are closed when handles are scarce.
//!
//! A clone may have hundreds of packs, and a process may be limited to 1,024 open files. Beyond
//! [`limits::POOLED_HANDLES`], and beyond a quarter of the system's limit, the oldest handle is
//! closed. If the system refuses to open a file, all of them are closed, and the call is repeated.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::system::io::Errno;
use crate::system::process::{Resource, getrlimit};

use redline_base::limits;

/// The handle of a file, while it is open: it may be closed at any time, as it can be opened again.
pub type Slot = Mutex<Option<Arc<File>>>;

/// The open files, the oldest first.
static POOL: Mutex<VecDeque<Weak<Slot>>> = Mutex::new(VecDeque::new());

/// Adds an open file, and closes the oldest beyond the limit.
pub fn count(opened: &Arc<Slot>) {
    let (most, mut pool) = (most(), lock(&POOL));
    pool.push_back(Arc::downgrade(opened));
    if pool.len() > most {
        pool.retain(|slot| slot.upgrade().is_some_and(|slot| lock(&slot).is_some()));
    }
    let over = pool.len().saturating_sub(most);
    let oldest: Vec<_> = pool.drain(..over).collect();
    drop(pool);
    close(&oldest);
}

/// Opens a file; without a free handle, closes the pool and tries once more.
pub fn with_handles<T>(
    mut open: impl FnMut() -> crate::system::io::Result<T>,
) -> crate::system::io::Result<T> {
    match open() {
        Err(Errno::MFILE | Errno::NFILE) => {
            let all: Vec<_> = lock(&POOL).drain(..).collect();
            close(&all);
            open()
        }
        opened => opened,
    }
}

fn close(slots: &[Weak<Slot>]) {
    slots.iter().filter_map(Weak::upgrade).for_each(|slot| drop(lock(&slot).take()));
}

/// Returns the limit of the pool.
fn most() -> usize {
    let quarter = getrlimit(Resource::Nofile).current.map_or(u64::MAX, |files| files / 4);
    limits::POOLED_HANDLES.min(usize::try_from(quarter).unwrap_or(usize::MAX)).max(1)
}

/// Locks a slot or the pool, which no panic leaves half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
