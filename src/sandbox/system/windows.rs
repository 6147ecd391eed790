//! The part of rustix that redline uses, for Windows: opening and reading. Whatever would write is
//! refused with [`Errno::NOSYS`].
//!
//! Windows opens paths, not names in an opened directory, so an opened directory holds its path.
//! It stays where it is: its handle does not share the right to delete, without which neither it nor
//! a directory above it can be renamed or replaced. Each name is opened as what it is, never as what
//! it leads to ([`REPARSE`]), so that a link is known from its own handle. Names that Windows reads as
//! another one or as a device are no names ([`is_plain`]).

/// `FILE_FLAG_BACKUP_SEMANTICS`: opens directories, too.
const BACKUP: u32 = 0x0200_0000;
/// `FILE_FLAG_OPEN_REPARSE_POINT`: opens a link, not its target.
const REPARSE: u32 = 0x0020_0000;
/// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`.
const SHARE: u32 = 0x3;
/// `FILE_SHARE_DELETE`.
const SHARE_DELETE: u32 = 0x4;

/// Tells whether a name is one that Windows takes literally: no stream of a file, no device, no
/// ending that it drops, and not the short name of another file.
fn is_plain(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is_numbered = |start: &str| {
        stem.get(..3).is_some_and(|given| given.eq_ignore_ascii_case(start))
            && stem.chars().count() == 4
            && stem.ends_with(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '¹', '²', '³'])
    };
    let devices = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let is_short = || {
        let mut parts = stem.split('~').skip(1);
        stem.len() <= 8 && parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    };
    !name.is_empty()
        && !name.ends_with(['.', ' '])
        && !name.contains(|c: char| c < ' ' || "\\/:*?\"<>|".contains(c))
        && !devices.iter().any(|device| stem.eq_ignore_ascii_case(device))
        && !is_numbered("COM")
        && !is_numbered("LPT")
        && !is_short()
}

/// Opened files and directories.
pub mod fd {
    use std::fs::File;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// An opened file or directory, and the path by which it was opened.
    #[derive(Debug)]
    pub struct OwnedFd {
        pub(super) file: File,
        pub(super) path: PathBuf,
    }

    /// The same, borrowed; a [`File`] has no path.
    #[derive(Debug, Clone, Copy)]
    pub struct BorrowedFd<'a> {
        pub(super) file: Option<&'a File>,
        pub(super) path: Option<&'a Path>,
    }

    /// What is opened.
    pub trait AsFd {
        /// Returns it borrowed.
        fn as_fd(&self) -> BorrowedFd<'_>;
    }

    impl AsFd for OwnedFd {
        fn as_fd(&self) -> BorrowedFd<'_> {
            BorrowedFd { file: Some(&self.file), path: Some(&self.path) }
        }
    }

    impl AsFd for File {
        fn as_fd(&self) -> BorrowedFd<'_> {
            BorrowedFd { file: Some(self), path: None }
        }
    }

    impl AsFd for BorrowedFd<'_> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            *self
        }
    }

    impl<T: AsFd> AsFd for &T {
        fn as_fd(&self) -> BorrowedFd<'_> {
            (**self).as_fd()
        }
    }

    impl<T: AsFd> AsFd for Arc<T> {
        fn as_fd(&self) -> BorrowedFd<'_> {
            (**self).as_fd()
        }
    }

    impl OwnedFd {
        pub fn try_clone(&self) -> std::io::Result<Self> {
            Ok(Self { file: self.file.try_clone()?, path: self.path.clone() })
        }
    }

    impl From<File> for OwnedFd {
        fn from(file: File) -> Self {
            Self { file, path: PathBuf::new() }
        }
    }

    impl From<OwnedFd> for File {
        fn from(opened: OwnedFd) -> Self {
            opened.file
        }
    }
}

/// Names.
pub mod path {
    use std::ffi::CStr;
    use std::path::{Path, PathBuf};

    /// A name, as functions of the system take it.
    pub trait Arg {
        /// Returns it as text; `None` for one that is not UTF-8, which no file has.
        fn text(&self) -> Option<&str>;
    }

    impl Arg for str {
        fn text(&self) -> Option<&str> {
            Some(self)
        }
    }

    impl Arg for String {
        fn text(&self) -> Option<&str> {
            Some(self)
        }
    }

    impl Arg for [u8] {
        fn text(&self) -> Option<&str> {
            std::str::from_utf8(self).ok()
        }
    }

    impl Arg for CStr {
        fn text(&self) -> Option<&str> {
            self.to_str().ok()
        }
    }

    impl Arg for Path {
        fn text(&self) -> Option<&str> {
            self.to_str()
        }
    }

    impl Arg for PathBuf {
        fn text(&self) -> Option<&str> {
            self.to_str()
        }
    }

    impl<T: Arg + ?Sized> Arg for &T {
        fn text(&self) -> Option<&str> {
            (**self).text()
        }
    }
}

/// Memory that is read into.
pub mod buffer {
    /// The room behind the bytes of a vector.
    #[derive(Debug)]
    pub struct Spare<'a>(pub(super) &'a mut Vec<u8>);

    /// Returns the room behind the bytes of a vector, up to its capacity.
    pub fn spare_capacity(bytes: &mut Vec<u8>) -> Spare<'_> {
        Spare(bytes)
    }
}

/// Errors, and reading.
pub mod io {
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
}

/// Processes: what of them is asked where nothing is written.
pub mod process {
    /// A process.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Pid(u32);

    /// Returns the current process.
    pub fn getpid() -> Pid {
        Pid(std::process::id())
    }

    /// A user.
    #[derive(Debug, Clone, Copy)]
    pub struct User;

    impl User {
        /// Returns its number, which is what the state of each file has.
        pub fn as_raw(self) -> u32 {
            0
        }
    }

    /// Returns the user of this process.
    pub fn geteuid() -> User {
        User
    }

    /// A bounded resource.
    #[derive(Debug, Clone, Copy)]
    pub enum Resource {
        Nofile,
    }

    /// The bounds of a resource.
    #[derive(Debug, Clone, Copy)]
    pub struct Limit {
        /// The bound; `None` for none.
        pub current: Option<u64>,
    }

    /// Returns the bounds of a resource: a process of Windows has millions of handles.
    pub fn getrlimit(_: Resource) -> Limit {
        Limit { current: None }
    }
}

/// Files.
pub mod fs {
    use std::ffi::CString;
    use std::fs::{File, Metadata, OpenOptions};
    use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
    use std::path::{Path, PathBuf};

    use super::fd::{AsFd, OwnedFd};
    use super::io::{Errno, Result};
    use super::path::Arg;
    use super::{BACKUP, REPARSE, SHARE, SHARE_DELETE, is_plain};
    use redline_base::os_path;

    macro_rules! flags {
        ($($(#[$what:meta])* $name:ident: $($flag:ident = $bits:literal),* $(,)?;)*) => {$(
            $(#[$what])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct $name(u32);

            #[allow(dead_code, reason = "not all kinds of flags are used in all ways")]
            impl $name {
                $(pub const $flag: Self = Self($bits);)*

                pub const fn empty() -> Self {
                    Self(0)
                }

                pub const fn union(self, other: Self) -> Self {
                    Self(self.0 | other.0)
                }

                pub const fn difference(self, other: Self) -> Self {
                    Self(self.0 & !other.0)
                }

                const fn has(self, other: Self) -> bool {
                    self.0 & other.0 != 0
                }
            }

            impl std::ops::BitOr for $name {
                type Output = Self;

                fn bitor(self, other: Self) -> Self {
                    self.union(other)
                }
            }
        )*};
    }

    flags! {
        /// How a file is opened.
        OFlags: RDONLY = 0, WRONLY = 1, RDWR = 2, CREATE = 4, EXCL = 8, APPEND = 16, DIRECTORY = 32,
            NOFOLLOW = 64, CLOEXEC = 0, NOCTTY = 0, NONBLOCK = 0;
        /// How a name is looked up.
        AtFlags: SYMLINK_NOFOLLOW = 1, REMOVEDIR = 2, EACCESS = 4;
        /// How names are exchanged.
        RenameFlags: NOREPLACE = 1, EXCHANGE = 2;
        /// How attributes are set.
        XattrFlags:;
        /// What is asked for.
        Access: WRITE_OK = 1;
        /// The permissions of a new file.
        Mode:;
    }

    /// Permissions as bits.
    pub type RawMode = u32;

    impl Mode {
        pub const fn from_raw_mode(mode: u32) -> Self {
            Self(mode)
        }
    }

    /// The kind of a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FileType {
        RegularFile,
        Directory,
        Symlink,
        Unknown,
    }

    const DIRECTORY: u32 = 0o040_755;
    const LINK: u32 = 0o120_777;
    const REGULAR: u32 = 0o100_644;

    impl FileType {
        pub const fn from_raw_mode(mode: u32) -> Self {
            match mode & 0o170_000 {
                0o040_000 => Self::Directory,
                0o120_000 => Self::Symlink,
                0o100_000 => Self::RegularFile,
                _ => Self::Unknown,
            }
        }
    }

    /// The state of a file, in the fields of Unix: what Windows does not have is what git for Windows
    /// puts into its index.
    #[derive(Debug, Clone, Copy, Default)]
    pub struct Stat {
        pub st_dev: u64,
        pub st_ino: u64,
        pub st_mode: u32,
        pub st_nlink: u64,
        pub st_uid: u32,
        pub st_gid: u32,
        pub st_size: u64,
        pub st_mtime: i64,
        pub st_mtime_nsec: u32,
        pub st_ctime: i64,
        pub st_ctime_nsec: u32,
    }

    /// The seconds from 1601, when the times of Windows begin, to 1970.
    const BEGIN: i64 = 11_644_473_600;

    /// Returns a time of Windows in seconds and nanoseconds.
    fn moment(ticks: u64) -> (i64, u32) {
        let seconds = i64::try_from(ticks / 10_000_000).unwrap_or(i64::MAX);
        (seconds - BEGIN, u32::try_from(ticks % 10_000_000).unwrap_or(0) * 100)
    }

    fn stat_of(file: &File) -> Result<Stat> {
        let found = file.metadata().map_err(|error| Errno::of(&error))?;
        let known = winapi_util::file::information(file).map_err(|error| Errno::of(&error))?;
        let (modified, changed) = (moment(found.last_write_time()), moment(found.creation_time()));
        Ok(Stat {
            st_dev: known.volume_serial_number(),
            st_ino: known.file_index(),
            st_mode: mode_of(&found),
            st_nlink: known.number_of_links(),
            st_size: found.len(),
            st_mtime: modified.0,
            st_mtime_nsec: modified.1,
            st_ctime: changed.0,
            st_ctime_nsec: changed.1,
            ..Stat::default()
        })
    }

    fn mode_of(found: &Metadata) -> u32 {
        match found.file_type() {
            kind if kind.is_symlink() => LINK,
            kind if kind.is_dir() => DIRECTORY,
            _ => REGULAR,
        }
    }

    /// Opens a path as it is; a link is not followed where the flags say so.
    fn opened(path: PathBuf, flags: OFlags) -> Result<OwnedFd> {
        if flags.has(OFlags::WRONLY | OFlags::RDWR | OFlags::CREATE | OFlags::APPEND) {
            return Err(Errno::NOSYS);
        }
        let open = |share| {
            let reparse = if flags.has(OFlags::NOFOLLOW) { REPARSE } else { 0 };
            let mut options = OpenOptions::new();
            options.read(true).custom_flags(BACKUP | reparse).share_mode(share);
            options.open(&path).map_err(|error| Errno::of(&error))
        };
        // A file may be replaced while it is read, as by git; a directory stays in its place.
        let file = open(SHARE | SHARE_DELETE)?;
        let kind = file.metadata().map_err(|error| Errno::of(&error))?.file_type();
        if kind.is_symlink() {
            return Err(Errno::LOOP);
        }
        if !kind.is_dir() {
            let is_wanted = !flags.has(OFlags::DIRECTORY);
            return if is_wanted { Ok(OwnedFd { file, path }) } else { Err(Errno::NOTDIR) };
        }
        let file = open(SHARE)?;
        let kind = file.metadata().map_err(|error| Errno::of(&error))?.file_type();
        if kind.is_dir() { Ok(OwnedFd { file, path }) } else { Err(Errno::LOOP) }
    }

    /// Returns the path of a name in a directory.
    fn within(directory: impl AsFd, name: impl Arg) -> Result<PathBuf> {
        let directory = directory.as_fd().path.ok_or(Errno::NOTDIR)?;
        let name = name.text().ok_or(Errno::NOENT)?;
        let mut path = directory.to_owned();
        for name in name.split('/').filter(|name| *name != ".") {
            if !is_plain(name) {
                return Err(Errno::NOENT);
            }
            path.push(name);
        }
        Ok(path)
    }

    /// The directory of the process, as a place of names.
    #[derive(Debug, Clone, Copy)]
    pub struct Current;

    pub const CWD: Current = Current;

    impl AsFd for Current {
        fn as_fd(&self) -> super::fd::BorrowedFd<'_> {
            super::fd::BorrowedFd { file: None, path: None }
        }
    }

    /// Opens a path, following links.
    pub fn open(path: impl AsRef<Path>, flags: OFlags, _: Mode) -> Result<OwnedFd> {
        // In this form `/` is no separator, and nothing is read as a device.
        let path = path.as_ref().canonicalize().map_err(|error| Errno::of(&error))?;
        opened(path, flags)
    }

    /// Opens a name in a directory.
    pub fn openat(directory: impl AsFd, name: impl Arg, flags: OFlags, _: Mode) -> Result<OwnedFd> {
        opened(within(directory, name)?, flags)
    }

    /// Returns the state of what is opened.
    pub fn fstat(opened: impl AsFd) -> Result<Stat> {
        stat_of(opened.as_fd().file.ok_or(Errno::INVAL)?)
    }

    fn stat_at(path: &Path, is_followed: bool) -> Result<Stat> {
        let flags = if is_followed { BACKUP } else { BACKUP | REPARSE };
        let mut options = OpenOptions::new();
        // Without any access: of a file that another program holds, too.
        options.access_mode(0).custom_flags(flags).share_mode(SHARE | SHARE_DELETE);
        stat_of(&options.open(path).map_err(|error| Errno::of(&error))?)
    }

    /// Returns the state of a name in a directory.
    pub fn statat(directory: impl AsFd, name: impl Arg, flags: AtFlags) -> Result<Stat> {
        stat_at(&within(directory, name)?, !flags.has(AtFlags::SYMLINK_NOFOLLOW))
    }

    /// Returns the state of a path, following links.
    pub fn stat(path: impl AsRef<Path>) -> Result<Stat> {
        stat_at(path.as_ref(), true)
    }

    /// Returns the target of a link.
    pub fn readlinkat(directory: impl AsFd, name: impl Arg, _: Vec<u8>) -> Result<CString> {
        let target = std::fs::read_link(within(directory, name)?);
        let target = target.map_err(|error| match error.raw_os_error() {
            // ERROR_NOT_A_REPARSE_POINT
            Some(4390) => Errno::INVAL,
            _ => Errno::of(&error),
        })?;
        CString::new(os_path::to_git(&target)).map_err(|_| Errno::INVAL)
    }

    macro_rules! refused {
        ($(fn $name:ident($($given:ident: $what:ty),*) -> $returns:ty;)*) => {
            $(
                /// Is refused.
                pub fn $name($(_: $what),*) -> Result<$returns> {
                    Err(Errno::NOSYS)
                }
            )*
        };
    }

    refused! {
        fn accessat(directory: impl AsFd, name: impl Arg, access: Access, flags: AtFlags) -> ();
        fn fchmod(file: impl AsFd, mode: Mode) -> ();
        fn fchown(file: impl AsFd, user: Option<Uid>, group: Option<Gid>) -> ();
        fn fgetxattr(file: impl AsFd, name: impl Arg, into: &mut [u8]) -> usize;
        fn flistxattr(file: impl AsFd, into: &mut [u8]) -> usize;
        fn flock(file: impl AsFd, how: FlockOperation) -> ();
        fn fsetxattr(file: impl AsFd, name: impl Arg, value: &[u8], flags: XattrFlags) -> ();
        fn fsync(file: impl AsFd) -> ();
        fn ftruncate(file: impl AsFd, size: u64) -> ();
        fn linkat(old: impl AsFd, name: impl Arg, new: impl AsFd, other: impl Arg, flags: AtFlags) -> ();
        fn mkdirat(directory: impl AsFd, name: impl Arg, mode: Mode) -> ();
        fn renameat(old: impl AsFd, name: impl Arg, new: impl AsFd, other: impl Arg) -> ();
        fn renameat_with(old: impl AsFd, name: impl Arg, new: impl AsFd, other: impl Arg, flags: RenameFlags) -> ();
        fn unlinkat(directory: impl AsFd, name: impl Arg, flags: AtFlags) -> ();
    }

    /// How a file is locked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FlockOperation {
        NonBlockingLockExclusive,
        NonBlockingLockShared,
    }

    /// The owner of a file.
    #[derive(Debug, Clone, Copy)]
    pub struct Uid;

    impl Uid {
        pub const fn from_raw(_: u32) -> Self {
            Self
        }
    }

    /// The owning group of a file.
    pub type Gid = Uid;

    /// The entries of a directory.
    #[derive(Debug)]
    pub struct Dir(std::fs::ReadDir);

    /// An entry.
    #[derive(Debug)]
    pub struct DirEntry {
        name: CString,
        kind: FileType,
    }

    impl DirEntry {
        pub fn file_name(&self) -> &std::ffi::CStr {
            &self.name
        }

        pub fn file_type(&self) -> FileType {
            self.kind
        }
    }

    impl Dir {
        pub fn new(directory: OwnedFd) -> Result<Self> {
            Self::read_from(directory)
        }

        pub fn read_from(directory: impl AsFd) -> Result<Self> {
            let path = directory.as_fd().path.ok_or(Errno::NOTDIR)?;
            std::fs::read_dir(path).map(Self).map_err(|error| Errno::of(&error))
        }
    }

    impl Iterator for Dir {
        type Item = Result<DirEntry>;

        fn next(&mut self) -> Option<Self::Item> {
            let entry = |found: std::io::Result<std::fs::DirEntry>| {
                let found = found?;
                let name = CString::new(found.file_name().as_encoded_bytes())?;
                let kind = FileType::from_raw_mode(mode_of(&found.metadata()?));
                Ok(DirEntry { name, kind })
            };
            Some(entry(self.0.next()?).map_err(|error: std::io::Error| Errno::of(&error)))
        }
    }
}
