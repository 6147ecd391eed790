//! Errors, and reading.

use std::fs::File;
use std::io::Error;
use std::os::windows::fs::FileExt;

use super::buffer::Spare;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Errno>;

/// The reason why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(&'static str);

macro_rules! reasons {
    ($($name:ident $text:literal,)*) => {
        impl Errno {
            $(pub const $name: Self = Self($text);)*
        }
    };
}

reasons! {
    ACCESS "permission denied",
    DQUOT "disk quota exceeded",
    EXIST "file exists",
    FBIG "file too large",
    INTR "interrupted",
    INVAL "invalid argument",
    IO "the system failed",
    ISDIR "is a directory",
    LOOP "is a link",
    MFILE "too many open files",
    MLINK "is a link to a directory",
    NAMETOOLONG "file name too long",
    NFILE "too many open files in the system",
    NODEV "no such device",
    NOENT "no such file or directory",
    NOSPC "no space left on device",
    NOSYS "redline does not write on Windows",
    NOTDIR "not a directory",
    NOTEMPTY "directory not empty",
    NXIO "no such device or address",
    OPNOTSUPP "operation not supported",
    PERM "operation not permitted",
    ROFS "read-only file system",
    TXTBSY "text file busy",
    WOULDBLOCK "resource temporarily unavailable",
    XDEV "is on another device",
}

impl Errno {
    /// Returns the reason of an error that this module made.
    pub fn from_io_error(error: &Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().copied()
    }

    /// Returns the reason of an error of the standard library.
    pub(super) fn of(error: &Error) -> Self {
        match error.raw_os_error() {
            // ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND, ERROR_INVALID_DRIVE, ERROR_BAD_NETPATH,
            // ERROR_BAD_NET_NAME, ERROR_INVALID_NAME, ERROR_BAD_PATHNAME
            Some(2 | 3 | 15 | 53 | 67 | 123 | 161) => Self::NOENT,
            // ERROR_TOO_MANY_OPEN_FILES
            Some(4) => Self::MFILE,
            // ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
            Some(5 | 32 | 33) => Self::ACCESS,
            // ERROR_INVALID_PARAMETER
            Some(87) => Self::INVAL,
            // ERROR_FILENAME_EXCED_RANGE
            Some(206) => Self::NAMETOOLONG,
            // ERROR_DIRECTORY
            Some(267) => Self::NOTDIR,
            // ERROR_CANT_ACCESS_FILE, ERROR_CANT_RESOLVE_FILENAME
            Some(1920 | 1921) => Self::LOOP,
            _ => Self::IO,
        }
    }
}

impl std::fmt::Display for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for Error {
    fn from(reason: Errno) -> Self {
        let kind = match reason {
            Errno::NOENT => std::io::ErrorKind::NotFound,
            Errno::ACCESS | Errno::PERM => std::io::ErrorKind::PermissionDenied,
            Errno::NOSYS => std::io::ErrorKind::Unsupported,
            _ => std::io::ErrorKind::Other,
        };
        Self::new(kind, reason)
    }
}

/// Where bytes are read to.
pub trait Buffer {
    /// Reads at an offset, and returns how many bytes were read.
    fn fill(self, file: &File, offset: u64) -> std::io::Result<usize>;
}

impl Buffer for &mut [u8] {
    fn fill(self, file: &File, offset: u64) -> std::io::Result<usize> {
        match file.seek_read(self, offset) {
            // ERROR_HANDLE_EOF
            Err(error) if error.raw_os_error() == Some(38) => Ok(0),
            read => read,
        }
    }
}

impl Buffer for Spare<'_> {
    fn fill(self, file: &File, offset: u64) -> std::io::Result<usize> {
        let start = self.0.len();
        self.0.resize(self.0.capacity(), 0);
        let read = Buffer::fill(&mut self.0[start..], file, offset);
        self.0.truncate(start + read.as_ref().map_or(0, |read| *read));
        read
    }
}

/// Reads a file at an offset, and returns how many bytes were read.
pub fn pread(file: &File, into: impl Buffer, offset: u64) -> Result<usize> {
    into.fill(file, offset).map_err(|error| Errno::of(&error))
}
