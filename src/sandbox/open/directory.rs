//! Open directories, and the files opened below them.
//!
//! Everything is opened relative to an open handle, waits for nothing (a FIFO, a device) and is
//! identified by its own handle, so that the checked file is the one that is used. Whether links
//! are followed is decided once, when the first directory is opened.

use crate::system::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::system::buffer::spare_capacity;
use crate::system::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use crate::system::io::{Errno, pread};

use crate::open::beneath::{self, Root};
use crate::open::handles::with_handles;
use crate::open::state::{EntryKind, Stamp, mode_of};
use redline_base::budget::{Stopped, check_current};
use redline_base::os_path;

/// Bytes that are read between two checks of the budget.
const STEP_BYTES: usize = 16 << 20;

/// Whether symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    /// A link, there or on the way, is [`OpenError::Link`].
    Refused,
    /// Links are followed wherever they lead.
    Followed,
}

/// Why something could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// It does not exist.
    Absent,
    /// It is a link or below one, and links are refused.
    Link,
    /// It is a directory instead of a file.
    Directory,
    /// It is a FIFO, a socket or a device.
    Special,
    /// It is outside the roots.
    Outside,
    /// It is in a directory of this name, which is reserved.
    Reserved(String),
    /// It is larger than the caller's limit.
    TooLarge {
        /// Its size, as far as it was counted.
        size: u64,
    },
    /// A system error: permissions, too many open files, a failing disk.
    System(io::Error),
    /// The query ended.
    Stopped(Stopped),
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name, any bytes but NUL and `/`.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: EntryKind,
}

/// An opened directory; cheap to clone.
#[derive(Debug, Clone)]
pub struct Directory {
    handle: Arc<OwnedFd>,
    /// The path by which it was opened, for pointers relative to it.
    path: Arc<Path>,
    links: Links,
}

/// A regular file, opened for reading.
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    stamp: Stamp,
}

impl Directory {
    /// Opens a directory by its path; follows links.
    pub(crate) fn open(path: PathBuf) -> Result<Self, OpenError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = with_handles(|| crate::system::fs::open(&path, flags, Mode::empty()))
            .map_err(|error| failed(error, Links::Followed))?;
        Ok(Self { handle: Arc::new(handle), path: path.into(), links: Links::Followed })
    }

    /// Opens the directory at `relative` below a root with the path `path`; follows no link, there
    /// or below it later.
    pub(crate) fn beneath(root: &Root, path: &Path, relative: &[u8]) -> Result<Self, OpenError> {
        let (handle, path) = if relative.is_empty() {
            (root.open_directory(""), path.to_owned())
        } else {
            let path = path.join(os_path::of_git(relative));
            (beneath::open_beneath(&root.directory, relative, beneath::DIRECTORY), path)
        };
        let handle = handle.map_err(|error| match error {
            // It may be a link, which the caller resolves.
            Errno::NOTDIR => OpenError::Link,
            error => failed(error, Links::Refused),
        })?;
        Ok(Self { handle: Arc::new(handle), path: path.into(), links: Links::Refused })
    }

    /// Returns the path by which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the stamp of this directory.
    pub fn stamp(&self) -> Result<Stamp, OpenError> {
        fstat(&self.handle).map(|stat| Stamp::new(&stat)).map_err(|error| failed(error, self.links))
    }

    /// Opens the directory at `relative`, components separated by `/`.
    pub fn directory(&self, relative: &[u8]) -> Result<Self, OpenError> {
        let handle = self.open_at(relative, beneath::DIRECTORY)?;
        let path = self.path.join(os_path::of_git(relative));
        Ok(Self { handle: Arc::new(handle), path: path.into(), links: self.links })
    }

    /// Opens the regular file at `relative`, components separated by `/`.
    pub fn file(&self, relative: &[u8]) -> Result<RegularFile, OpenError> {
        let handle = self.open_at(relative, beneath::FILE)?;
        let stat = fstat(&handle).map_err(|error| failed(error, self.links))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                Ok(RegularFile { file: File::from(handle), stamp: Stamp::new(&stat) })
            }
            FileType::Directory => Err(OpenError::Directory),
            _ => Err(OpenError::Special),
        }
    }

    /// Returns the stamp of the file or directory at `relative`, without opening it; of a link its
    /// own stamp if links are refused.
    pub fn stamp_of(&self, relative: &[u8]) -> Result<Stamp, OpenError> {
        // Only the last component may be checked without opening it: the path to it is walked as
        // for a file.
        let start = relative.iter().rposition(|&byte| byte == b'/');
        let flags =
            if self.links == Links::Refused { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
        let stat = match start {
            None => statat(&self.handle, valid(relative)?, flags),
            Some(slash) => {
                let parent = self.open_at(&relative[..slash], beneath::DIRECTORY)?;
                statat(parent, valid(&relative[slash + 1..])?, flags)
            }
        };
        stat.map(|stat| Stamp::new(&stat)).map_err(|error| failed(error, self.links))
    }

    /// Tells whether the directory has an entry with a name, including a dangling link.
    pub fn exists(&self, name: &[u8]) -> Result<bool, OpenError> {
        match self.kind_of(name) {
            Ok(_) => Ok(true),
            Err(OpenError::Absent) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the kind of an entry of the directory; does not follow a link.
    pub(crate) fn kind_of(&self, name: &[u8]) -> Result<EntryKind, OpenError> {
        statat(&self.handle, valid(name)?, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| EntryKind::of(FileType::from_raw_mode(stat.st_mode)))
            .map_err(|error| failed(error, self.links))
    }

    /// Returns the target of the link at `relative`.
    pub(crate) fn target(&self, relative: &[u8]) -> Result<Vec<u8>, OpenError> {
        crate::system::fs::readlinkat(&self.handle, valid(relative)?, Vec::new())
            .map(std::ffi::CString::into_bytes)
            .map_err(|error| failed(error, self.links))
    }

    /// Returns the target of the link at `relative`, `None` if there is none or links are refused.
    pub fn link(&self, relative: &[u8]) -> Result<Option<Vec<u8>>, OpenError> {
        if self.links == Links::Refused {
            return Ok(None);
        }
        match self.target(relative) {
            Ok(target) => Ok(Some(target)),
            Err(OpenError::Absent) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the directory as a root.
    pub fn root(&self) -> Result<Root, OpenError> {
        let opened = with_handles(|| openat(&self.handle, ".", beneath::DIRECTORY, Mode::empty()));
        opened.map(|directory| Root { directory }).map_err(|error| failed(error, self.links))
    }

    /// Returns the entries of the directory itself, unordered; more than `most` are
    /// [`OpenError::TooLarge`].
    pub fn entries(&self, most: usize) -> Result<Vec<DirectoryEntry>, OpenError> {
        match with_handles(|| entries(&self.handle, most)) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(OpenError::TooLarge { size: most as u64 + 1 }),
            Err(error) => Err(failed(error, self.links)),
        }
    }

    fn open_at(&self, relative: &[u8], flags: OFlags) -> Result<OwnedFd, OpenError> {
        let opened = match self.links {
            Links::Refused => match beneath::open_beneath(&self.handle, relative, flags) {
                // Systems differ in the error for a link in place of a directory.
                Err(Errno::NOTDIR) => beneath::open_beneath(&self.handle, relative, beneath::FILE)
                    .and_then(|_| Err(Errno::NOTDIR)),
                opened => opened,
            },
            Links::Followed => {
                let (relative, flags) = (valid(relative)?, flags.difference(OFlags::NOFOLLOW));
                with_handles(|| openat(self.handle.as_fd(), relative, flags, Mode::empty()))
            }
        };
        opened.map_err(|error| failed(error, self.links))
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Stopped::of_io(&error).map_or(Self::System(error), Self::Stopped)
    }
}

impl From<Stopped> for OpenError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl RegularFile {
    /// Returns the stamp of the file when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Reads the whole file; more than `limit` bytes are [`OpenError::TooLarge`], also when it
    /// grows meanwhile.
    pub fn read_all(&self, limit: u64) -> Result<Vec<u8>, OpenError> {
        if self.stamp.size() > limit {
            return Err(OpenError::TooLarge { size: self.stamp.size() });
        }
        let mut bytes = Vec::new();
        let no_memory = || OpenError::Stopped(Stopped::Allocation);
        // One byte more than its size reveals a file that has grown.
        let size = usize::try_from(self.stamp.size()).map_err(|_| no_memory())?.saturating_add(1);
        bytes.try_reserve_exact(size).map_err(|_| no_memory())?;
        // A large buffer is zeroed before it is read into, as the budget is checked between its
        // steps.
        while size - bytes.len() > STEP_BYTES {
            check_current()?;
            let at = bytes.len();
            bytes.resize(at + STEP_BYTES, 0);
            let read = self.read_at(at as u64, &mut bytes[at..])?;
            bytes.truncate(at + read);
            if read < STEP_BYTES {
                return Ok(bytes);
            }
        }
        loop {
            check_current()?;
            let at = bytes.len();
            if at == bytes.capacity() {
                bytes.try_reserve(at.clamp(4096, STEP_BYTES)).map_err(|_| no_memory())?;
            }
            // Into memory that was not zeroed before, as an index has megabytes.
            let read = match pread(&self.file, spare_capacity(&mut bytes), at as u64) {
                Err(Errno::INTR) => continue,
                read => read.map_err(|error| OpenError::System(error.into()))?,
            };
            if bytes.len() as u64 > limit {
                return Err(OpenError::TooLarge { size: bytes.len() as u64 });
            }
            if read == 0 {
                return Ok(bytes);
            }
        }
    }

    /// Reads at an offset until `bytes` is full or the file ends; returns how many bytes were read.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        read_at(&self.file, offset, bytes)
    }

    /// Tells whether anybody may run the file; one that cannot be asked counts as such.
    pub fn is_executable(&self) -> bool {
        fstat(&self.file).map_or(true, |stat| mode_of(&stat) & 0o111 != 0)
    }

    /// Returns the handle.
    pub(crate) fn into_file(self) -> File {
        self.file
    }
}

/// Does the same as [`RegularFile::read_at`] for a handle.
pub(crate) fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < bytes.len() {
        match pread(file, &mut bytes[read..], offset + read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(read)
}

/// Returns the entries of a directory, unordered; `None` if there are more than `most`.
pub(crate) fn entries(
    directory: impl AsFd,
    most: usize,
) -> crate::system::io::Result<Option<Vec<DirectoryEntry>>> {
    let directory = directory.as_fd();
    let mut found = Vec::new();
    let mut is_over = false;
    each_entry(directory, |name, kind| {
        if matches!(name, b"." | b"..") {
            return Ok(true);
        }
        is_over = found.len() == most;
        if is_over {
            return Ok(false);
        }
        let kind = match kind {
            // Some file systems do not tell the kind; the entry may be gone by now.
            FileType::Unknown => match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(Errno::NOENT) => return Ok(true),
                Err(error) => return Err(error),
            },
            kind => kind,
        };
        found.push(DirectoryEntry { name: name.to_vec(), kind: EntryKind::of(kind) });
        Ok(true)
    })?;
    Ok((!is_over).then_some(found))
}

/// Calls `take` with the name and the kind of each entry, until it returns false.
#[cfg(target_os = "linux")]
fn each_entry(
    directory: BorrowedFd<'_>,
    mut take: impl FnMut(&[u8], FileType) -> crate::system::io::Result<bool>,
) -> crate::system::io::Result<()> {
    // One call returns most directories whole, and nothing is allocated for an entry.
    let mut buffer = [std::mem::MaybeUninit::uninit(); 32 << 10];
    let opened = openat(directory, ".", beneath::DIRECTORY, Mode::empty())?;
    let mut entries = crate::system::fs::RawDir::new(opened, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        if !take(entry.file_name().to_bytes(), entry.file_type())? {
            break;
        }
    }
    Ok(())
}

/// Calls `take` with the name and the kind of each entry, until it returns false.
#[cfg(not(target_os = "linux"))]
fn each_entry(
    directory: BorrowedFd<'_>,
    mut take: impl FnMut(&[u8], FileType) -> crate::system::io::Result<bool>,
) -> crate::system::io::Result<()> {
    for entry in crate::system::fs::Dir::read_from(directory)? {
        let entry = entry?;
        if !take(entry.file_name().to_bytes(), entry.file_type())? {
            break;
        }
    }
    Ok(())
}

/// Rejects a path with a component that does not name an entry of its directory.
fn valid(relative: &[u8]) -> Result<&[u8], OpenError> {
    if beneath::names_entries(relative) { Ok(relative) } else { Err(OpenError::Absent) }
}

fn failed(error: Errno, links: Links) -> OpenError {
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::INVAL => OpenError::Absent,
        Errno::LOOP | Errno::MLINK | Errno::XDEV if links == Links::Refused => OpenError::Link,
        Errno::NXIO | Errno::NODEV => OpenError::Special,
        error => OpenError::System(error.into()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fixture::fifo;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn tree() -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        fs::create_dir_all(at("in/a/b")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        fs::write(at("in/a/b/file"), "inside").unwrap();
        fs::write(at("out/file"), "outside").unwrap();
        symlink("../out", at("in/link")).unwrap();
        symlink("b", at("in/a/near")).unwrap();
        symlink("../../out/file", at("in/a/far")).unwrap();
        fifo(&at("in/fifo"));
        temp
    }

    fn read(directory: &Directory, name: &str) -> String {
        match directory.file(name.as_bytes()).and_then(|file| file.read_all(100)) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn a_directory_beneath_a_root_leads_nowhere_else() {
        let temp = tree();
        let path = temp.path().join("in");
        let inside = Directory::beneath(&Root::open(&path).unwrap(), &path, b"").unwrap();
        for (name, found) in [
            ("a/b/file", "inside"),
            ("a/near/file", "Link"),
            ("a/far", "Link"),
            ("link/file", "Link"),
            ("link", "Link"),
            ("fifo", "Special"),
            ("a", "Directory"),
            ("none", "Absent"),
            ("a/b/file/x", "Absent"),
            ("../out/file", "Absent"),
            ("a/../../out/file", "Absent"),
            ("/etc/hostname", "Absent"),
            ("", "Absent"),
            (".", "Absent"),
        ] {
            assert_eq!(read(&inside, name), found, "{name}");
        }
        assert!(matches!(inside.directory(b"link"), Err(OpenError::Link)));
        assert!(matches!(inside.directory(b"a/near"), Err(OpenError::Link)));
        assert_eq!(read(&inside.directory(b"a/b").unwrap(), "file"), "inside");
        assert!(matches!(inside.stamp_of(b"link/file"), Err(OpenError::Link)));
    }

    #[test]
    fn a_directory_without_a_root_follows_links_and_waits_for_nothing() {
        let temp = tree();
        let inside = Directory::open(temp.path().join("in")).unwrap();
        for (name, found) in [
            ("a/near/file", "inside"),
            ("a/far", "outside"),
            ("link/file", "outside"),
            ("fifo", "Special"),
            ("../out/file", "Absent"),
        ] {
            assert_eq!(read(&inside, name), found, "{name}");
        }
        let mut entries: Vec<_> =
            inside.entries(10).unwrap().into_iter().map(|entry| entry.name).collect();
        entries.sort();
        assert_eq!(entries, [b"a".to_vec(), b"fifo".to_vec(), b"link".to_vec()]);
        assert!(matches!(inside.entries(2), Err(OpenError::TooLarge { .. })));
    }

    #[test]
    fn a_file_that_was_written_to_has_another_stamp() {
        let temp = tree();
        let inside = Directory::open(temp.path().join("in")).unwrap();
        let file = inside.file(b"a/b/file").unwrap();
        assert_eq!(inside.stamp_of(b"a/b/file").unwrap(), file.stamp());
        fs::write(temp.path().join("in/a/b/file"), "longer than before").unwrap();
        assert_ne!(inside.stamp_of(b"a/b/file").unwrap(), file.stamp());
        assert!(matches!(
            inside.file(b"a/b/file").unwrap().read_all(5),
            Err(OpenError::TooLarge { size: 18 })
        ));
        // Its size when opened does not hide that it has grown.
        assert!(matches!(file.read_all(6), Err(OpenError::TooLarge { .. })));
    }
}
