//! Why the system does not write, in words.

use crate::system::io::Errno;
use std::io;

/// Returns why a file is not written (after "cannot be written:"), and what to do about it.
pub fn why_unwritten(error: &io::Error) -> (&'static str, &'static str) {
    match Errno::from_io_error(error) {
        Some(Errno::NOSPC) => ("the disk is full", "Make room"),
        Some(Errno::DQUOT) => ("the disk quota is used up", "Make room"),
        Some(Errno::FBIG) => (
            "it is larger than the system lets this process write",
            "Write less, or raise the limit (ulimit -f)",
        ),
        Some(Errno::MFILE | Errno::NFILE) => {
            ("too many files are open", "Try again when fewer queries run")
        }
        Some(Errno::ROFS) => ("the file system is read-only", "Choose another sandbox"),
        Some(Errno::PERM) => (
            "its directory may not be changed (immutable or append-only)",
            "Ask the host to lift that",
        ),
        Some(Errno::ACCESS) => {
            ("its directory is not writable for this process", "Ask the host for the permission")
        }
        Some(Errno::LOOP | Errno::NOTDIR) => {
            ("a directory on the way is a file or a link", "Choose another path")
        }
        Some(Errno::NOENT) => ("a directory on the way was removed meanwhile", "Try again"),
        Some(Errno::NAMETOOLONG) => {
            ("its name is too long for the file system", "Choose a shorter name")
        }
        Some(Errno::IO) => ("the device failed", "Check the system's log"),
        _ => ("the system refused", "Check the permissions of its directory"),
    }
}
