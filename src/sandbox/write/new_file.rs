//! Files that are written below an opened directory: created where nothing is, filled, and then
//! renamed to their place; and lines that are appended. A repository is written so.
//!
//! Each path is walked to its parent as for reading, and the last name is created, renamed or
//! removed there: no link is followed where links are refused, and never at the last name.

use crate::system::fd::{AsFd, OwnedFd};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::system::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, RawMode, Uid, fchmod, fchown, fgetxattr, flistxattr,
    fsetxattr, fstat, fsync, openat, renameat, unlinkat,
};
use crate::system::io::Errno;

use crate::open::directory::{Directory, OpenError};
use crate::open::handles::with_handles;
use crate::write::locked::make;
use redline_base::budget::check_current;
use redline_base::limits;

/// What a file is created with: nothing may have its name, not even a dangling link.
pub(super) const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What lines are appended with.
const APPENDED: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::APPEND)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK);

/// A file that was created, and is removed again unless it is put in place.
#[derive(Debug)]
pub struct NewFile<D: AsFd = OwnedFd> {
    pub(super) parent: D,
    pub(super) name: Vec<u8>,
    pub(super) file: File,
    pub(super) is_placed: bool,
}

impl Directory {
    /// Creates an empty file at `relative`, components separated by `/`; `None` if anything has
    /// that name. `mode` is reduced by the process's umask.
    ///
    /// # Errors
    /// Those of opening its directory and of the system.
    pub fn create(&self, relative: &[u8], mode: u32) -> Result<Option<NewFile>, OpenError> {
        let (parent, name) = self.parent(relative)?;
        match with_handles(|| openat(&parent, name, CREATE, Mode::from_raw_mode(mode as RawMode))) {
            Ok(file) => {
                let (name, file) = (name.to_vec(), File::from(file));
                Ok(Some(NewFile { parent, name, file, is_placed: false }))
            }
            Err(Errno::EXIST) => Ok(None),
            Err(error) => Err(system(error)),
        }
    }

    /// Creates a file as [`Self::create`] does; waits up to a limit, and within the budget of the
    /// thread, while anything has that name.
    ///
    /// # Errors
    /// Those of [`Self::create`].
    pub fn create_when_free(
        &self,
        relative: &[u8],
        mode: u32,
    ) -> Result<Option<NewFile>, OpenError> {
        let until = Instant::now() + Duration::from_millis(limits::GIT_LOCK_MILLIS);
        loop {
            match self.create(relative, mode)? {
                None if Instant::now() < until => {
                    check_current()?;
                    sleep(Duration::from_millis(5));
                }
                made => return Ok(made),
            }
        }
    }

    /// Appends whole lines to the file at `relative`, which is created if it is absent; they are on
    /// the disk afterwards.
    ///
    /// # Errors
    /// [`OpenError::Link`] and [`OpenError::Special`] for what is no regular file; those of the
    /// system.
    pub fn append(&self, relative: &[u8], lines: &[u8]) -> Result<(), OpenError> {
        let (parent, name) = self.parent(relative)?;
        let opened = with_handles(|| openat(&parent, name, APPENDED, Mode::from_raw_mode(0o666)));
        let file = opened.map_err(|error| match error {
            Errno::LOOP | Errno::MLINK => OpenError::Link,
            Errno::ISDIR => OpenError::Directory,
            Errno::NXIO => OpenError::Special,
            error => system(error),
        })?;
        let stat = fstat(&file).map_err(system)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(OpenError::Special);
        }
        let mut file = File::from(file);
        file.write_all(lines)?;
        fsync(&file).map_err(system)
    }

    /// Removes the file or link at `relative`; tells whether there was one.
    ///
    /// # Errors
    /// Those of the system.
    pub fn remove(&self, relative: &[u8]) -> Result<bool, OpenError> {
        let (parent, name) = match self.parent(relative) {
            Err(OpenError::Absent) => return Ok(false),
            found => found?,
        };
        match unlinkat(parent, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(system(error)),
        }
    }

    /// Makes the directories of a path that are missing, the last component included.
    ///
    /// # Errors
    /// Those of the system; of opening what is there.
    pub fn make_directories(&self, relative: &[u8]) -> Result<(), OpenError> {
        let ends = relative.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for end in ends.map(|(at, _)| at).chain([relative.len()]) {
            let (parent, name) = self.parent(&relative[..end])?;
            make(&parent, name, 0o777).map_err(system)?;
        }
        self.directory(relative).map(|_| ())
    }

    /// Opens the directory of a path; returns it with the last name.
    fn parent<'n>(&self, relative: &'n [u8]) -> Result<(OwnedFd, &'n [u8]), OpenError> {
        let start = relative.iter().rposition(|&byte| byte == b'/');
        let name = start.map_or(relative, |slash| &relative[slash + 1..]);
        if matches!(name, b"" | b"." | b"..") || name.contains(&0) {
            return Err(OpenError::Absent);
        }
        let opened = match start {
            Some(slash) => self.directory(&relative[..slash])?.root()?,
            None => self.root()?,
        };
        Ok((opened.directory, name))
    }
}

impl<D: AsFd> NewFile<D> {
    /// Writes its content, on the disk, with these permissions if some are given.
    ///
    /// # Errors
    /// Those of the system.
    pub fn fill(&mut self, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        fill(&self.file, bytes, None, mode)
    }

    /// Writes another content instead.
    ///
    /// # Errors
    /// Those of the system.
    pub fn refill(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.fill(bytes, None)
    }

    /// Renames it to another name of its directory, over what is there.
    ///
    /// # Errors
    /// Those of the system; then the file is removed.
    pub fn place(mut self, name: &[u8]) -> io::Result<()> {
        renameat(&self.parent, &self.name[..], &self.parent, name)?;
        self.is_placed = true;
        Ok(fsync(&self.parent)?)
    }
}

impl<D: AsFd> Drop for NewFile<D> {
    fn drop(&mut self) {
        if !self.is_placed {
            // One that cannot be removed is found as the lock that it is, or removed by the next
            // writer.
            let _ = unlinkat(&self.parent, &self.name[..], AtFlags::empty());
        }
    }
}

/// Writes the content of a new file durably, with the attributes and the owner of the old one, and
/// with these permissions.
pub(super) fn fill(
    new: &File,
    bytes: &[u8],
    old: Option<&File>,
    mode: Option<u32>,
) -> io::Result<()> {
    let mut writer = new;
    writer.write_all(bytes)?;
    if let Some(old) = old {
        copy_attributes(old, new);
        copy_owner(old, new)?;
    }
    if let Some(mode) = mode {
        fchmod(new, Mode::from_raw_mode(mode as RawMode))?;
    }
    Ok(fsync(new)?)
}

/// Gives the new file the owner and group of the old one, where the system lets this process.
fn copy_owner(old: &File, new: &File) -> io::Result<()> {
    let (from, to) = (fstat(old)?, fstat(new)?);
    if (from.st_uid, from.st_gid) == (to.st_uid, to.st_gid) {
        return Ok(());
    }
    match fchown(new, Some(Uid::from_raw(from.st_uid)), Some(Gid::from_raw(from.st_gid))) {
        Ok(()) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The extended attributes that are preserved: a user's own, and access control lists. Those that
/// grant rights (`security.capability`) or attest the content (`security.ima`) end with the
/// content, as in an ordinary write.
const KEPT_ATTRIBUTES: [&[u8]; 2] = [b"user.", b"system.posix_acl_access"];

/// Copies the [`KEPT_ATTRIBUTES`], where the file system has them and lets this process.
fn copy_attributes(old: &File, new: &File) {
    // On the stack: what is refused here would end a write that has begun.
    let (mut names, mut value) = ([0; limits::XATTR_BYTES], [0; limits::XATTR_BYTES]);
    let Ok(length) = flistxattr(old, &mut names[..]) else { return };
    for name in names[..length]
        .split(|&byte| byte == 0)
        .filter(|name| KEPT_ATTRIBUTES.iter().any(|kept| name.starts_with(kept)))
    {
        if let Ok(length) = fgetxattr(old, name, &mut value[..]) {
            let _ = fsetxattr(new, name, &value[..length], crate::system::fs::XattrFlags::empty());
        }
    }
}

fn system(error: Errno) -> OpenError {
    match error {
        Errno::NOENT => OpenError::Absent,
        error => OpenError::System(error.into()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn opened(path: &std::path::Path) -> Directory {
        let root = crate::open::beneath::Root::open(path).unwrap();
        Directory::beneath(&root, path, b"").unwrap()
    }

    #[test]
    fn a_new_file_is_put_in_place_or_leaves_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let directory = opened(temp.path());
        let mut lock = directory.create(b"a.lock", 0o666).unwrap().unwrap();
        assert!(directory.create(b"a.lock", 0o666).unwrap().is_none());
        lock.fill(b"before", None).unwrap();
        lock.refill(b"new").unwrap();
        fs::write(temp.path().join("a"), "old").unwrap();
        lock.place(b"a").unwrap();
        assert_eq!(fs::read(temp.path().join("a")).unwrap(), b"new");
        drop(directory.create(b"a.lock", 0o666).unwrap());
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let temp = tempfile::tempdir().unwrap();
        let (inside, outside) = (temp.path().join("in"), temp.path().join("out"));
        fs::create_dir_all(&inside).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("log"), "safe").unwrap();
        symlink("../out", inside.join("linked")).unwrap();
        symlink("../out/log", inside.join("log")).unwrap();
        symlink("../out/absent", inside.join("dangling")).unwrap();
        let directory = opened(&inside);
        assert!(directory.create(b"dangling", 0o666).unwrap().is_none());
        assert!(matches!(directory.append(b"log", b"x\n"), Err(OpenError::Link)));
        for path in [&b"linked/x"[..], b"linked/log"] {
            assert!(directory.create(path, 0o666).is_err(), "{path:?}");
            assert!(directory.append(path, b"x\n").is_err(), "{path:?}");
            assert!(directory.remove(path).is_err(), "{path:?}");
        }
        assert!(directory.make_directories(b"linked/a/b").is_err());
        for path in [&b".."[..], b"", b"a/..", b"a\0b"] {
            assert!(directory.create(path, 0o666).is_err(), "{path:?}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(fs::read(outside.join("log")).unwrap(), b"safe");
    }

    #[test]
    fn directories_are_made_where_they_are_missing_and_lines_follow_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let directory = opened(temp.path());
        directory.make_directories(b"a/b").unwrap();
        directory.make_directories(b"a/b/c").unwrap();
        directory.append(b"a/b/c/log", b"1\n").unwrap();
        directory.append(b"a/b/c/log", b"2\n").unwrap();
        assert_eq!(fs::read(temp.path().join("a/b/c/log")).unwrap(), b"1\n2\n");
        assert!(directory.remove(b"a/b/c/log").unwrap());
        assert!(!directory.remove(b"a/b/c/log").unwrap());
        assert!(!directory.remove(b"x/y").unwrap());
    }
}
