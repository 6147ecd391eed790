//! A pool of the process's handles that can be reopened: they are closed when handles are scarce.
//!
//! A clone may have hundreds of packs, and a process may be limited to 1,024 open files. Beyond
//! [`limits::POOLED_HANDLES`], and beyond a quarter of the system's limit, the oldest handle is
//! closed. If the system refuses to open a file, all of them are closed, and the call is repeated.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::limits;

/// A resource that may be closed at any time, as it can be opened again.
pub trait Reopened: Send + Sync {
    /// Tells whether it is open.
    fn is_open(&self) -> bool;
    /// Closes it until it is used next.
    fn close(&self);
}

/// The open resources, the oldest first.
static POOL: Mutex<VecDeque<Weak<dyn Reopened>>> = Mutex::new(VecDeque::new());

/// Adds an open resource, and closes the oldest beyond the limit.
pub fn count(opened: &Arc<impl Reopened + 'static>) {
    let weak: Weak<dyn Reopened> = Arc::<_>::downgrade(opened) as _;
    let (most, mut pool) = (most(), pool());
    pool.push_back(weak);
    if pool.len() > most {
        pool.retain(|handle| handle.upgrade().is_some_and(|handle| handle.is_open()));
    }
    let over = pool.len().saturating_sub(most);
    let oldest: Vec<_> = pool.drain(..over).collect();
    drop(pool);
    close(&oldest);
}

/// Opens a file; without a free handle, closes the pool and tries once more.
pub fn with_handles<T>(mut open: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    match open() {
        Err(Errno::MFILE | Errno::NFILE) => {
            let all: Vec<_> = pool().drain(..).collect();
            close(&all);
            open()
        }
        opened => opened,
    }
}

fn close(handles: &[Weak<dyn Reopened>]) {
    handles.iter().filter_map(Weak::upgrade).for_each(|handle| handle.close());
}

/// Returns the limit of the pool.
fn most() -> usize {
    let quarter = getrlimit(Resource::Nofile).current.map_or(u64::MAX, |files| files / 4);
    limits::POOLED_HANDLES.min(usize::try_from(quarter).unwrap_or(usize::MAX)).max(1)
}

fn pool() -> MutexGuard<'static, VecDeque<Weak<dyn Reopened>>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}
