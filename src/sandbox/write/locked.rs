//! Makes a directory, locks it while it is written, and clears reserved names in it.

use crate::system::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::system::fs::{
    AtFlags, Dir, FlockOperation, Mode, RawMode, flock, mkdirat, openat, unlinkat,
};
use crate::system::io::Errno;
use crate::system::path::Arg;

use crate::open::beneath::DIRECTORY;
use redline_base::budget::check_current;
use redline_base::error::Result;
use redline_base::limits;

/// Makes a directory unless there is an entry of this name; tells whether it was made.
pub(crate) fn make(above: impl AsFd, name: impl Arg, mode: u32) -> crate::system::io::Result<bool> {
    match mkdirat(above, name, Mode::from_raw_mode(mode as RawMode)) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits for the lock on a directory or a file, up to a limit and within the budget of the thread;
/// returns whether it was acquired.
pub(crate) fn lock(held: &OwnedFd) -> Result<crate::system::io::Result<bool>> {
    lock_as(held, FlockOperation::NonBlockingLockExclusive)
}

/// Waits for the lock as [`lock`] does, to share it with others that do.
pub(crate) fn share(held: &OwnedFd) -> Result<crate::system::io::Result<bool>> {
    lock_as(held, FlockOperation::NonBlockingLockShared)
}

fn lock_as(held: &OwnedFd, how: FlockOperation) -> Result<crate::system::io::Result<bool>> {
    let until = Instant::now() + Duration::from_millis(limits::LOCK_MILLIS);
    loop {
        match flock(held, how) {
            Err(Errno::WOULDBLOCK) if Instant::now() < until => {
                check_current()?;
                sleep(Duration::from_millis(1));
            }
            Err(Errno::WOULDBLOCK) => return Ok(Ok(false)),
            Err(Errno::INTR) => {}
            result => return Ok(result.map(|()| true)),
        }
    }
}

/// Removes the entry at a name reserved for redline, whatever its kind.
pub(crate) fn clear(directory: BorrowedFd<'_>, name: &str, depth: usize) -> io::Result<()> {
    match unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        // The error for a directory: ISDIR on Linux, PERM on other systems.
        Err(Errno::ISDIR | Errno::PERM) if depth < limits::CLEARED_DEPTH => {}
        Err(error) => return Err(error.into()),
    }
    let inner = openat(directory, name, DIRECTORY, Mode::empty())?;
    for entry in Dir::read_from(&inner)? {
        let entry = entry?;
        match entry.file_name().to_str() {
            Ok("." | "..") => {}
            Ok(name) => clear(inner.as_fd(), name, depth + 1)?,
            Err(_) => unlinkat(&inner, entry.file_name(), AtFlags::empty())?,
        }
    }
    Ok(unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}
