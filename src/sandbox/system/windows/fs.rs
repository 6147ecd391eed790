//! Files.

use std::ffi::CString;
use std::fs::{File, Metadata, OpenOptions};
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::fd::{AsFd, OwnedFd};
use super::io::{Errno, Result};
use super::is_plain;
use super::path::Arg;
use redline_base::os_path;

/// `FILE_FLAG_BACKUP_SEMANTICS`: opens directories, too.
const BACKUP: u32 = 0x0200_0000;
/// `FILE_FLAG_OPEN_REPARSE_POINT`: opens a link, not its target.
const REPARSE: u32 = 0x0020_0000;
/// `FILE_SHARE_READ` and `FILE_SHARE_WRITE`.
const SHARE: u32 = 0x3;
/// `FILE_SHARE_DELETE`.
const SHARE_DELETE: u32 = 0x4;

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
