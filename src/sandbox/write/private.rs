//! A private directory of redline outside of every sandbox. It belongs to this user alone and is
//! never opened through a link.
//!
//! Its files hold secrets, and data read from it decides on changes of files. So a directory or a
//! file of another owner, with rights for others, or with a second name is rejected, not repaired.

use crate::system::fd::OwnedFd;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::system::fs::{
    AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat, flock, fstat, fsync, ftruncate,
    openat, unlinkat,
};
use crate::system::io::Errno;
use crate::system::process::geteuid;

use crate::open::beneath::{DIRECTORY, FILE, read_bounded};
use crate::open::directory;
use crate::open::handles::with_handles;
use crate::open::state::{FileId, id_of, mode_of};
use crate::rules::access::Access;
use crate::rules::policy::Sandbox;
use crate::rules::sandboxes::Sandboxes;
use crate::write::locked::{lock, make, share};
use crate::write::new_file::NewFile;
use redline_base::error::{Error, Result, quoted};

/// The name of a file until it is completely written.
const NEW: &str = "new";
/// The file whose lock writers wait for.
const LOCK: &str = "lock";
/// The permission bits of the group and of others.
const RIGHTS_OF_OTHERS: u32 = 0o077;

/// Such a directory, opened.
#[derive(Debug)]
pub struct PrivateDirectory {
    handle: OwnedFd,
    /// Its path, after resolving all links.
    path: PathBuf,
    /// Its name in messages.
    name: &'static str,
}

/// The lock of a directory; it ends with the value.
#[derive(Debug)]
pub struct PrivateLock(#[allow(dead_code)] OwnedFd);

impl PrivateDirectory {
    /// Opens the directory at an absolute path, the value of the setting `name`; creates a missing
    /// one if its parent exists. Sessions must not be able to read or write it: it is neither in a
    /// sandbox nor around one, by device and inode, and DuckDB's own limits must not allow reading
    /// it.
    ///
    /// # Errors
    /// `invalid_args` for a relative path; `fs_denied` for a directory that sessions could read or
    /// write, a link, another owner or rights for others.
    pub fn open(path: &str, name: &'static str, access: &Access) -> Result<Self> {
        if !Path::new(path).is_absolute() {
            return Err(Error::invalid_args(format!("{name} is {}", quoted(path)))
                .with_hint("Give the absolute path of a directory that only you may read"));
        }
        // With a slash at the end, the system would follow a link.
        let path = Path::new(path.trim_end_matches('/'));
        let directory = match Self::existing(path, name)? {
            Some(directory) => directory,
            None => {
                let above = path.parent().unwrap_or(path).canonicalize();
                access.check_outside(&above.map_err(|error| failed(name, error))?, name)?;
                make(CWD, path, 0o700).map_err(|error| failed(name, error.into()))?;
                Self::existing(path, name)?.ok_or_else(|| failed(name, Errno::NOENT.into()))?
            }
        };
        access.check_outside(&directory.path, name)?;
        access.check_around(&directory.path, name)?;
        Ok(directory)
    }

    fn existing(path: &Path, name: &'static str) -> Result<Option<Self>> {
        let failed = |error: Errno| failed(name, error.into());
        let handle = match with_handles(|| crate::system::fs::open(path, DIRECTORY, Mode::empty()))
        {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => {
                return Err(refused(name, "is not a directory, or is a link to one"));
            }
            Err(error) => return Err(failed(error)),
        };
        let found = fstat(&handle).map_err(failed)?;
        check_own(name, &found)?;
        let path = path.canonicalize().map_err(|error| self::failed(name, error))?;
        let again = crate::system::fs::stat(&path).map_err(failed)?;
        if id_of(&again) != id_of(&found) {
            return Err(Error::tool_failed(format!("{name} was moved while it was opened"))
                .with_hint("Try again"));
        }
        Ok(Some(Self { handle, path, name }))
    }

    /// Returns its path, after resolving all links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory in it; creates a missing one.
    pub fn directory(&self, name: &str) -> Result<Self> {
        if make(&self.handle, name, 0o700).map_err(|error| self.failed(error))? {
            fsync(&self.handle).map_err(|error| self.failed(error))?;
        }
        let opened = with_handles(|| openat(&self.handle, name, DIRECTORY, Mode::empty()));
        let handle = opened.map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP | Errno::MLINK => self.refused(name, "is not a directory"),
            error => self.failed(error),
        })?;
        check_own(self.name, &fstat(&handle).map_err(|error| self.failed(error))?)?;
        Ok(Self { handle, path: self.path.join(name), name: self.name })
    }

    /// Waits until no other writer holds the lock.
    ///
    /// # Errors
    /// `tool_failed` if that takes too long.
    pub fn lock(&self) -> Result<PrivateLock> {
        self.locked(LOCK, lock)
    }

    /// Shares the lock of a file with others that do.
    ///
    /// # Errors
    /// `tool_failed` if somebody has it alone for too long.
    pub fn share(&self, name: &str) -> Result<PrivateLock> {
        self.locked(name, share)
    }

    /// Tells whether nobody shares the lock of a file.
    pub fn is_unshared(&self, name: &str) -> Result<bool> {
        let file = self.open_file(name, OFlags::RDWR | OFlags::CREATE)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn locked(
        &self,
        name: &str,
        lock: fn(&OwnedFd) -> Result<crate::system::io::Result<bool>>,
    ) -> Result<PrivateLock> {
        let file = OwnedFd::from(self.open_file(name, OFlags::RDWR | OFlags::CREATE)?);
        if lock(&file)?.map_err(|error| self.failed(error))? {
            return Ok(PrivateLock(file));
        }
        Err(Error::tool_failed(format!("{} is locked by another writer", self.name))
            .with_hint("Try again when it has finished"))
    }

    /// Opens a file to read it, `None` if there is no such file. [`Self::failed_to`] makes an error
    /// of one that reading it has.
    pub fn open_to_read(&self, name: &str) -> Result<Option<File>> {
        match self.opened(name, OFlags::RDONLY) {
            Err(Errno::NOENT) => Ok(None),
            opened => self.checked(name, opened).map(Some),
        }
    }

    /// Returns the size of a file in bytes; 0 if there is none.
    pub fn size(&self, name: &str) -> Result<u64> {
        let Some(file) = self.open_to_read(name)? else { return Ok(0) };
        Ok(file.metadata().map_err(|error| self.failed_to(error))?.len())
    }

    /// Tells whether a file has these bytes at a place.
    pub fn holds(&self, name: &str, at: u64, bytes: &[u8]) -> bool {
        let mut found = vec![0; bytes.len()];
        let file = self.open_to_read(name).ok().flatten();
        let read = file.and_then(|file| directory::read_at(&file, at, &mut found).ok());
        read == Some(bytes.len()) && found == bytes
    }

    /// Returns a file's bytes, `None` if there is no such file.
    ///
    /// # Errors
    /// `too_large` for more than `limit` bytes.
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open_to_read(name)? else { return Ok(None) };
        let bytes = read_bounded(file, limit).map_err(|error| failed(self.name, error))?;
        bytes.map(Some).ok_or_else(|| {
            let file = self.path.join(name);
            Error::too_large(format!(
                "the file {} of {} has over {limit} bytes",
                quoted(&file.to_string_lossy()),
                self.name
            ))
            .with_hint("Move it away")
        })
    }

    /// Appends lines durably, without the end of the last one, or nothing on failure; a truncated
    /// last line is terminated first. Returns their place in bytes.
    pub fn append(&self, name: &str, lines: &[u8]) -> Result<u64> {
        let file = self.open_file(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        let end = file.metadata().map_err(|error| failed(self.name, error))?.len();
        let append = || {
            let mut last = [b'\n'];
            if end > 0 {
                directory::read_at(&file, end - 1, &mut last)?;
            }
            let torn: &[u8] = if last == *b"\n" { b"" } else { b"\n" };
            (&file).write_all(&[torn, lines, b"\n"].concat())?;
            file.sync_data()?;
            if end == 0 {
                fsync(&self.handle)?;
            }
            io::Result::Ok(end + torn.len() as u64)
        };
        append().map_err(|error| {
            // Readers ignore a partial line that could not be removed.
            let _ = ftruncate(&file, end);
            failed(self.name, error)
        })
    }

    /// Writes a file durably, unless it has these bytes already. The caller holds the lock.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<()> {
        match self.read(name, bytes.len() as u64) {
            Ok(Some(kept)) if kept == bytes => Ok(()),
            _ => self.replace(name, bytes),
        }
    }

    /// Creates or replaces a file durably. The caller holds the lock.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.remove(NEW)?;
        let (parent, in_work) = (&self.handle, NEW.into());
        let file = self.open_file(NEW, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        let mut new = NewFile { parent, name: in_work, file, is_placed: false };
        let placed = new.fill(bytes, None).and_then(|()| new.place(name.as_bytes()));
        placed.map_err(|error| failed(self.name, error))
    }

    /// Removes a file if it exists. A directory, which is none of ours, stays.
    pub fn remove(&self, name: &str) -> Result<()> {
        match unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT | Errno::ISDIR) => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Returns the names in it that are UTF-8; more than `most` are `too_large`.
    pub fn names(&self, most: usize) -> Result<Vec<String>> {
        let found = with_handles(|| directory::entries(&self.handle, most));
        let found = found.map_err(|error| self.failed(error))?.ok_or_else(|| {
            let path = quoted(&self.path.to_string_lossy());
            Error::too_large(format!("{path} of {} has over {most} files", self.name))
                .with_hint("Move them away")
        })?;
        Ok(found.into_iter().filter_map(|entry| String::from_utf8(entry.name).ok()).collect())
    }

    fn open_file(&self, name: &str, flags: OFlags) -> Result<File> {
        self.checked(name, self.opened(name, flags))
    }

    fn opened(&self, name: &str, flags: OFlags) -> crate::system::io::Result<OwnedFd> {
        let flags = FILE.union(flags);
        with_handles(|| openat(&self.handle, name, flags, Mode::from_raw_mode(0o600)))
    }

    /// Returns the file if it is a regular file of this user alone with a single hard link.
    fn checked(&self, name: &str, opened: crate::system::io::Result<OwnedFd>) -> Result<File> {
        let handle = opened.map_err(|error| match error {
            Errno::LOOP | Errno::MLINK | Errno::NXIO | Errno::NODEV | Errno::ISDIR => {
                self.refused(name, "is not a regular file")
            }
            error => self.failed(error),
        })?;
        let found = fstat(&handle).map_err(|error| self.failed(error))?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(self.refused(name, "is not a regular file"));
        }
        if found.st_nlink != 1 {
            return Err(self.refused(name, "has several names (hard links)"));
        }
        check_own(self.name, &found)?;
        Ok(File::from(handle))
    }

    fn refused(&self, name: &str, what: &str) -> Error {
        let path = quoted(&self.path.join(name).to_string_lossy());
        Error::fs_denied(format!("{path} of {} {what}", self.name))
            .with_hint("Give a directory that redline alone writes")
    }

    /// Returns the error of a file whose reading failed.
    pub fn failed_to(&self, error: io::Error) -> Error {
        failed(self.name, error)
    }

    fn failed(&self, error: Errno) -> Error {
        failed(self.name, error.into())
    }
}

impl Access {
    /// Tells whether a directory lies in no sandbox.
    pub(crate) fn is_in_no_sandbox(&self, path: &Path) -> bool {
        self.check_within(path, "the directory").is_ok()
    }

    /// Rejects a directory in a sandbox, and one that DuckDB's own limits allow to be read.
    fn check_outside(&self, path: &Path, name: &str) -> Result<()> {
        if self.is_limited() && self.is_allowed(path) {
            return Err(refused(
                name,
                "is in one of DuckDB's allowed_directories, whose files SQL may read",
            ));
        }
        self.check_within(path, name)
    }

    /// Rejects a directory in a sandbox.
    fn check_within(&self, path: &Path, name: &str) -> Result<()> {
        let around = identities(path, name)?;
        for sandbox in self.sandboxes().into_iter().flat_map(Sandboxes::iter) {
            let root =
                fstat(&sandbox.root.directory).map_err(|error| failed(name, error.into()))?;
            if around.contains(&id_of(&root)) {
                return Err(nested(name, sandbox));
            }
        }
        Ok(())
    }

    /// Rejects a directory that contains a sandbox.
    fn check_around(&self, path: &Path, name: &str) -> Result<()> {
        let own = crate::system::fs::stat(path).map_err(|error| failed(name, error.into()))?;
        for sandbox in self.sandboxes().into_iter().flat_map(Sandboxes::iter) {
            if identities(&sandbox.path, name)?.contains(&id_of(&own)) {
                return Err(nested(name, sandbox));
            }
        }
        Ok(())
    }
}

/// Returns the device and the inode of a directory and of all its parents.
fn identities(path: &Path, name: &str) -> Result<Vec<FileId>> {
    let ids = path.ancestors().map(|path| crate::system::fs::stat(path).map(|stat| id_of(&stat)));
    ids.collect::<crate::system::io::Result<_>>().map_err(|error| failed(name, error.into()))
}

fn nested(name: &str, sandbox: &Sandbox) -> Error {
    refused(name, &format!("and the sandbox {} overlap", quoted(&sandbox.name)))
}

/// Rejects an entry that belongs to another user or gives rights to others.
fn check_own(name: &str, found: &Stat) -> Result<()> {
    if found.st_uid != geteuid().as_raw() {
        return Err(refused(name, "has a part that belongs to another user"));
    }
    if mode_of(found) & RIGHTS_OF_OTHERS != 0 {
        return Err(refused(name, "has a part that others can access"));
    }
    Ok(())
}

fn refused(name: &str, what: &str) -> Error {
    Error::fs_denied(format!("{name} {what}"))
        .with_hint("Give a directory of your own that nobody else has rights to (chmod 700), outside of all sandboxes")
}

fn failed(name: &str, error: io::Error) -> Error {
    let words = match Errno::from_io_error(&error) {
        Some(Errno::NOSPC | Errno::DQUOT) => "the disk is full",
        Some(Errno::FBIG) => "a file is larger than the system lets this process write",
        Some(Errno::ROFS) => "the file system is read-only",
        Some(Errno::ACCESS | Errno::PERM) => "the system does not let this process",
        Some(Errno::NOENT) => "the directory, or the one above it, is not there",
        Some(Errno::MFILE | Errno::NFILE) => "too many files are open",
        _ => "the system refused",
    };
    Error::tool_failed(format!("{name} cannot be used: {words}; nothing was changed"))
        .with_hint("Make the directory usable, or choose another one")
        .with_source(error)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::fixture::fifo;
    use redline_base::error::ErrorKind;

    const NAME: &str = "the_setting";

    fn own(path: &Path) -> PathBuf {
        std::fs::create_dir(path).unwrap();
        mode(path, 0o700);
        path.to_owned()
    }

    fn mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn open(path: &Path) -> Result<PrivateDirectory> {
        open_within(path, &Access::new(true, &[]))
    }

    fn open_within(path: &Path, access: &Access) -> Result<PrivateDirectory> {
        PrivateDirectory::open(path.to_str().unwrap(), NAME, access)
    }

    #[test]
    fn a_missing_directory_is_made_for_its_user_alone() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("journal");
        open(&path).unwrap().append("log", b"line").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join("log"))), (0o700, 0o600));
        assert!(open(&temp.path().join("none/journal")).is_err());
        assert_eq!(open(Path::new("journal")).unwrap_err().kind(), ErrorKind::InvalidArgs);
    }

    #[test]
    fn what_another_could_have_put_there_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let path = own(&temp.path().join("journal"));
        symlink(&path, temp.path().join("link")).unwrap();
        std::fs::write(temp.path().join("file"), "").unwrap();
        for name in ["link", "link/", "file"] {
            let error = open(&temp.path().join(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FsDenied, "{name}: {error}");
        }
        let directory = open(&path).unwrap();
        std::fs::write(temp.path().join("secret"), "secret").unwrap();
        mode(&temp.path().join("secret"), 0o600);
        let at = |name: &str| path.join(name);
        symlink(temp.path().join("secret"), at("symbolic")).unwrap();
        std::fs::hard_link(temp.path().join("secret"), at("hard")).unwrap();
        std::fs::write(at("readable"), "").unwrap();
        mode(&at("readable"), 0o644);
        std::fs::create_dir(at("directory")).unwrap();
        fifo(&at("fifo"));
        for name in ["symbolic", "hard", "readable", "directory", "fifo"] {
            for error in [
                directory.read(name, 100).unwrap_err(),
                directory.append(name, b"line").unwrap_err(),
            ] {
                assert_eq!(error.kind(), ErrorKind::FsDenied, "{name}: {error}");
            }
        }
        assert_eq!(std::fs::read(temp.path().join("secret")).unwrap(), b"secret");
        mode(&path, 0o750);
        assert_eq!(open(&path).unwrap_err().kind(), ErrorKind::FsDenied);
    }

    #[test]
    fn a_torn_line_is_ended_before_the_next() {
        let temp = tempfile::tempdir().unwrap();
        let directory = open(&own(&temp.path().join("journal"))).unwrap();
        directory.append("log", b"one").unwrap();
        directory.replace("log", b"one\ntor").unwrap();
        directory.append("log", b"two").unwrap();
        assert_eq!(directory.read("log", 100).unwrap().unwrap(), b"one\ntor\ntwo\n");
        assert_eq!(directory.read("log", 3).unwrap_err().kind(), ErrorKind::TooLarge);
        assert_eq!(directory.read("none", 3).unwrap(), None);
    }

    #[test]
    fn a_file_that_is_kept_is_mended() {
        let temp = tempfile::tempdir().unwrap();
        let directory = open(&own(&temp.path().join("journal"))).unwrap();
        for bytes in [&b"content"[..], b"content", b"con", b"contents"] {
            directory.keep("file", bytes).unwrap();
            assert_eq!(directory.read("file", 100).unwrap().unwrap(), bytes);
        }
        let mut names = directory.names(10).unwrap();
        names.sort();
        assert_eq!(names, ["file"]);
        assert_eq!(directory.names(0).unwrap_err().kind(), ErrorKind::TooLarge);
    }

    #[test]
    fn a_directory_and_a_sandbox_never_lie_in_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        for name in ["work", "work/inner", "around", "around/work"] {
            own(&top.join(name));
        }
        for (root, journal, is_apart) in [
            ("work", "journal", true),
            ("work", "work-journal", true),
            ("work", "work", false),
            ("work", "work/journal", false),
            ("work", "work/inner", false),
            ("around/work", "around", false),
        ] {
            let root = top.join(root);
            let json = format!(r#"[{{"name":"w","root":"{}"}}]"#, root.to_str().unwrap());
            let access = Access::new(true, &[]).within(&json, 1000).unwrap();
            let opened = open_within(&top.join(journal), &access);
            assert_eq!(opened.is_ok(), is_apart, "{journal}");
        }
        assert!(!top.join("work/journal").exists());
        let access = Access::new(false, &[top.join("around").to_str().unwrap()]);
        assert!(open_within(&top.join("around/j"), &access).is_err());
        assert!(open_within(&top.join("journal"), &access).is_ok());
    }
}
