//! The handles that the process keeps to read again, counted: others are closed for them when they are scarce.
//!
//! A clone may have hundreds of packs, and a process may have opened only 1,024 files. Beyond
//! [`limits::POOLED_HANDLES`], and beyond a quarter of what the system allows, the handle that was opened first is
//! closed. Where the system refuses to open anything, all of them are, and it is asked once more.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use crate::limits;

/// Something open that may be closed at any time, as it can be opened again.
pub trait Reopened: Send + Sync {
    /// Tells whether it is open.
    fn is_open(&self) -> bool;
    /// Closes it until it is used next.
    fn close(&self);
}

/// What is open, the oldest first.
static POOL: Mutex<VecDeque<Weak<dyn Reopened>>> = Mutex::new(VecDeque::new());

/// Counts something that was opened, and closes the oldest beyond the limit.
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

/// Opens something; where the system has no handle left, closes what is kept and tries once more.
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

/// Returns how many handles may be kept.
fn most() -> usize {
    let quarter = getrlimit(Resource::Nofile).current.map_or(u64::MAX, |files| files / 4);
    limits::POOLED_HANDLES.min(usize::try_from(quarter).unwrap_or(usize::MAX)).max(1)
}

fn pool() -> MutexGuard<'static, VecDeque<Weak<dyn Reopened>>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}
