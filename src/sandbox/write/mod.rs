//! Writes a file below a sandbox's root: whole or not at all, and only over the expected state.
//!
//! The content is written to a separate file in the same directory, made durable, and renamed over
//! the old one, so a reader, a crash or a kill sees the one or the other. Writers of redline are
//! serialised by a lock on the directory, across threads and processes. Another writer, without the
//! lock, can still come between the last check of the file and the rename.

pub(crate) mod copies;
pub(crate) mod copy_name;
pub(crate) mod intent;
pub(crate) mod locked;
pub(crate) mod new_file;
pub(crate) mod private;
pub(crate) mod recovery;
pub(crate) mod staging;
pub(crate) mod transaction;
pub(crate) mod unwritten;

use crate::system::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fs::File;
use std::io;

use crate::system::fs::{
    Access, AtFlags, Mode, RenameFlags, accessat, fsync, openat, renameat, renameat_with, unlinkat,
};
use crate::system::io::Errno;

use crate::open::sandbox_path::SandboxPath;
use crate::open::state::FileState;
use crate::write::locked::{clear, lock, make};
use crate::write::new_file::{CREATE, NewFile, fill};
use crate::write::recovery::settle;
use crate::write::unwritten::why_unwritten;
use redline_base::budget::{Copied, check_current};
use redline_base::error::{Error, ErrorKind, Result};

/// The file with the new content until it is renamed. One name suffices: the directory is locked.
const NEW: &str = ".redline-new";
/// Permissions that make a program run as its owner.
const SETUID_OR_SETGID: u32 = 0o6000;
/// The permissions that a file keeps; a file with setuid or setgid is refused.
pub(crate) const KEPT_MODE: u32 = 0o1777;

/// The state that a write requires at a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Expected {
    /// No file.
    Absent,
    /// The file that was read, with its bytes.
    Present {
        /// Its state when it was opened.
        state: FileState,
        /// Its content.
        bytes: Vec<u8>,
    },
}

impl Clone for Expected {
    fn clone(&self) -> Self {
        match self {
            Self::Absent => Self::Absent,
            Self::Present { state, bytes } => {
                Self::Present { state: *state, bytes: bytes.copied_vec() }
            }
        }
    }
}

impl Expected {
    /// Returns the content, if there is a file.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Absent => None,
            Self::Present { bytes, .. } => Some(bytes),
        }
    }

    /// Returns the state of the file, if there is one.
    pub(crate) fn state(&self) -> Option<&FileState> {
        match self {
            Self::Absent => None,
            Self::Present { state, .. } => Some(state),
        }
    }

    /// Returns the kind and the permissions of the file, if there is one.
    pub fn mode(&self) -> Option<u32> {
        self.state().map(|state| state.mode)
    }
}

impl SandboxPath<'_> {
    /// Reads the file in its current state, if there is one.
    pub fn read_as_it_is(&self) -> Result<Expected> {
        if self.is_absent() {
            return Ok(Expected::Absent);
        }
        let (bytes, state) = self.read_with_state()?;
        Ok(Expected::Present { state, bytes })
    }

    /// Reads the file, and returns the state that a write may require.
    pub fn read_for_writing(&self) -> Result<Expected> {
        self.check_writable()?;
        settle(self)?;
        let expected = self.read_as_it_is()?;
        if let Some(state) = expected.state() {
            self.check_replaceable(state)?;
        }
        Ok(expected)
    }

    /// Writes the file if its state is still the expected one; else it is `stale:`, and nothing is
    /// changed. Creates missing directories.
    pub fn write(&self, bytes: &[u8], expected: &Expected) -> Result<()> {
        self.write_then(bytes, expected, || ())
    }

    /// Does the same, and calls `done` once the file is written, before any other writer can change
    /// it.
    pub fn write_then(&self, bytes: &[u8], expected: &Expected, done: impl FnOnce()) -> Result<()> {
        self.check_writable()?;
        self.check_size(bytes)?;
        self.write_locked(|directory| {
            self.write_in(directory, bytes, expected)?;
            done();
            Ok(())
        })
    }

    /// Writes the result of `make` for the current file, while every other writer of redline waits;
    /// `done` as in [`Self::write_then`].
    pub fn rewrite(
        &self,
        mut make: impl FnMut(&Expected) -> Result<Vec<u8>>,
        done: impl FnOnce(),
    ) -> Result<()> {
        self.check_writable()?;
        self.write_locked(|directory| {
            loop {
                let expected = self.read_for_writing()?;
                let bytes = make(&expected)?;
                self.check_size(&bytes)?;
                match self.write_in(directory, &bytes, &expected) {
                    // Another program writes without the lock.
                    Err(error) if error.kind() == ErrorKind::Stale => check_current()?,
                    Err(error) => return Err(error),
                    Ok(()) => {
                        done();
                        return Ok(());
                    }
                }
            }
        })
    }

    pub(crate) fn check_size(&self, bytes: &[u8]) -> Result<()> {
        let limit = self.sandbox().max_file_bytes;
        if bytes.len() as u64 <= limit {
            return Ok(());
        }
        Err(Error::too_large(format!(
            "{} would have {} bytes, and its sandbox allows {limit}",
            self.shown(),
            bytes.len()
        ))
        .with_hint(
            "Write several smaller files, or ask the host to raise the sandbox's max_file_bytes",
        ))
    }

    /// Calls `write` in the locked directory of the file; on failure, directories that were created
    /// for it are removed.
    fn write_locked(&self, write: impl FnOnce(&OwnedFd) -> Result<()>) -> Result<()> {
        let shown = self.shown();
        let failed = |error: io::Error| self.write_failed(error);
        settle(self)?;
        let mut made = Vec::new();
        let written = self.directory_for_writing(&mut made).map_err(failed).and_then(|directory| {
            let is_locked = lock(&directory)?.map_err(|error| failed(error.into()))?;
            if !is_locked {
                return Err(Error::tool_failed(format!(
                    "the directory of {shown} is locked by another writer"
                ))
                .with_hint("Try again when it has finished"));
            }
            // The lock ends with the handle.
            write(&directory)?;
            Ok(directory)
        });
        let Ok(directory) = written else {
            remove_made(made);
            return written.map(drop);
        };
        fsync(&directory).map_err(|error| {
            Error::tool_failed(format!(
                "{shown} is written, but the system could not make its name durable"
            ))
            .with_hint("Read it back; after a crash of the machine the old content may return")
            .with_source(error)
        })
    }

    /// Writes the file in its directory, and changes nothing on failure.
    fn write_in(&self, directory: &OwnedFd, bytes: &[u8], expected: &Expected) -> Result<()> {
        let shown = self.shown();
        let failed = |error: io::Error| self.write_failed(error);
        self.check_unchanged(expected)?;
        let is_new = *expected == Expected::Absent;
        let old = if is_new { None } else { Some(self.open()?.file) };
        let new = NewFile::create(directory.as_fd(), is_new).map_err(failed)?;
        let mode = expected.mode().map(|mode| mode & KEPT_MODE);
        fill(&new.file, bytes, old.as_ref(), mode).map_err(failed)?;
        self.check_unchanged(expected)?;
        new.put(self.path().name(), is_new).map_err(|error| match error {
            Errno::EXIST => stale(&shown),
            error => failed(error.into()),
        })
    }

    /// Rejects a state of the path other than the expected one.
    pub(crate) fn check_unchanged(&self, expected: &Expected) -> Result<()> {
        let is_unchanged = match expected {
            Expected::Absent => self.is_absent(),
            Expected::Present { .. } if self.is_absent() => false,
            Expected::Present { state, bytes } => {
                let (found, now) = self.read_with_state()?;
                now.is_same_file(state) && *bytes == found
            }
        };
        if is_unchanged { Ok(()) } else { Err(stale(&self.shown())) }
    }

    /// Rejects a file that a new one cannot replace.
    fn check_replaceable(&self, state: &FileState) -> Result<()> {
        let refused = |what: &str, hint: &str| {
            Err(Error::fs_denied(format!("{} {what}", self.shown())).with_hint(hint))
        };
        if state.links > 1 {
            return refused(
                "has several names (hard links)",
                "Write to a copy: the other names would keep the old content",
            );
        }
        if state.mode & SETUID_OR_SETGID != 0 {
            return refused(
                "runs as its owner (setuid or setgid)",
                "Take that permission away first",
            );
        }
        self.check_permitted()
    }

    /// Opens the directory of the file; creates missing ones, and adds each to `made` with its
    /// parent.
    fn directory_for_writing(&self, made: &mut Vec<(OwnedFd, String)>) -> io::Result<OwnedFd> {
        let root = &self.sandbox().root;
        let mut opened = root.open_directory("")?;
        for directory in self.path().directories() {
            opened = match root.open_directory(directory) {
                Ok(found) => found,
                Err(Errno::NOENT) => {
                    let name = directory.rsplit('/').next().unwrap_or_default();
                    // If not, another writer has made it in between.
                    if make(&opened, name, 0o777)? {
                        made.push((opened.try_clone()?, name.to_owned()));
                    }
                    fsync(&opened)?;
                    root.open_directory(directory)?
                }
                Err(error) => return Err(error.into()),
            };
        }
        Ok(opened)
    }

    pub(crate) fn write_failed(&self, error: io::Error) -> Error {
        let (words, hint) = why_unwritten(&error);
        let shown = self.shown();
        Error::tool_failed(format!("{shown} cannot be written: {words}; the file is unchanged"))
            .with_hint(hint)
            .with_source(error)
    }

    /// Rejects a file that this process could not write in place: replacing it would give rights
    /// over the file that the process does not have.
    fn check_permitted(&self) -> Result<()> {
        let path = self.path();
        let directory = path.directories().next_back().unwrap_or_default();
        let Ok(directory) = self.sandbox().root.open_directory(directory) else { return Ok(()) };
        match accessat(&directory, path.name(), Access::WRITE_OK, AtFlags::EACCESS) {
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS | Errno::TXTBSY) => {
                Err(Error::fs_denied(format!("{} is not writable for this process", self.shown()))
                    .with_hint("Write to another file, or ask the host for the permission"))
            }
            // Other errors occur again when it is written.
            _ => Ok(()),
        }
    }
}

/// Removes directories that a failed write has created, the deepest first; keeps those that are not
/// empty.
fn remove_made(made: Vec<(OwnedFd, String)>) {
    for (above, name) in made.into_iter().rev() {
        if unlinkat(&above, name.as_str(), AtFlags::REMOVEDIR).is_err() {
            return;
        }
    }
}

pub(crate) fn stale(shown: &str) -> Error {
    Error::stale(format!("{shown} has changed since it was read"))
        .with_hint("Read it again and repeat the change")
}

impl<'a> NewFile<BorrowedFd<'a>> {
    /// Creates it with the permissions of a new file, or, to replace another, with restricted ones.
    fn create(directory: BorrowedFd<'a>, is_new: bool) -> io::Result<Self> {
        // A leftover of a killed process; the directory is locked, so no other process is writing
        // it.
        clear(directory, NEW, 0)?;
        let mode = Mode::from_raw_mode(if is_new { 0o666 } else { 0o600 });
        // Allocated before there is a file, which a refused allocation would leave.
        let name = NEW.into();
        let file = File::from(openat(directory, NEW, CREATE, mode)?);
        Ok(Self { parent: directory, name, file, is_placed: false })
    }

    /// Renames the file to its name; a new one never replaces a file that has appeared there.
    fn put(mut self, name: &str, is_new: bool) -> crate::system::io::Result<()> {
        if is_new {
            renameat_with(self.parent, NEW, self.parent, name, RenameFlags::NOREPLACE)?;
        } else {
            renameat(self.parent, NEW, self.parent, name)?;
        }
        self.is_placed = true;
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fixture::writable;
    use crate::system::fs::{fgetxattr, fsetxattr};
    use redline_base::error::ErrorKind;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::Path;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_changed_is_not_overwritten() {
        let temp = tempfile::tempdir().unwrap();
        let sandboxes = writable(temp.path());
        let place = sandboxes.resolve("w/f").unwrap();
        let path = temp.path().join("f");
        let absent = place.read_for_writing().unwrap();
        assert_eq!(absent, Expected::Absent);
        std::fs::write(&path, "made meanwhile").unwrap();
        assert_eq!(place.write(b"x", &absent).unwrap_err().kind(), ErrorKind::Stale);
        let present = place.read_for_writing().unwrap();
        for change in ["made meanWhile", "longer than before"] {
            std::fs::write(&path, change).unwrap();
            assert_eq!(place.write(b"x", &present).unwrap_err().kind(), ErrorKind::Stale);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), change);
        }
        let present = place.read_for_writing().unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(place.write(b"x", &present).unwrap_err().kind(), ErrorKind::Stale);
        let present = place.read_for_writing().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(place.write(b"x", &present).unwrap_err().kind(), ErrorKind::Stale);
        assert_eq!(names(temp.path()), [""; 0]);
    }

    #[test]
    fn a_file_left_by_a_killed_writer_is_removed_and_not_written_through() {
        let temp = tempfile::tempdir().unwrap();
        let outside = temp.path().join("outside");
        std::fs::write(&outside, "safe").unwrap();
        let root = temp.path().join("root");
        std::fs::create_dir(&root).unwrap();
        symlink(&outside, root.join(NEW)).unwrap();
        let sandboxes = writable(&root);
        let place = sandboxes.resolve("w/f").unwrap();
        place.write(b"new", &Expected::Absent).unwrap();
        assert_eq!(names(&root), ["f"]);
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "safe");
        for own in [format!("w/{NEW}"), format!("w/{NEW}/x"), format!("w/a/{NEW}/b")] {
            assert_eq!(sandboxes.resolve(&own).unwrap_err().kind(), ErrorKind::FsDenied);
        }
    }

    #[test]
    fn permissions_and_attributes_are_kept() {
        let temp = tempfile::tempdir().unwrap();
        let sandboxes = writable(temp.path());
        let place = sandboxes.resolve("w/deep/er/f").unwrap();
        place.write(b"one", &Expected::Absent).unwrap();
        let path = temp.path().join("deep/er/f");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
        let file = File::open(&path).unwrap();
        let has_attributes =
            fsetxattr(&file, "user.note", b"kept", crate::system::fs::XattrFlags::empty()).is_ok();
        let expected = place.read_for_writing().unwrap();
        place.write(b"two", &expected).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o751);
        if has_attributes {
            let mut value = [0; 16];
            let length =
                fgetxattr(File::open(&path).unwrap(), "user.note", &mut value[..]).unwrap();
            assert_eq!(&value[..length], b"kept");
        }
    }

    #[test]
    fn a_file_of_several_names_or_one_that_runs_as_its_owner_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let sandboxes = writable(temp.path());
        for name in ["linked", "setuid"] {
            std::fs::write(temp.path().join(name), "old").unwrap();
        }
        std::fs::hard_link(temp.path().join("linked"), temp.path().join("other")).unwrap();
        std::fs::set_permissions(
            temp.path().join("setuid"),
            std::fs::Permissions::from_mode(0o4755),
        )
        .unwrap();
        for path in ["w/linked", "w/setuid"] {
            let error = sandboxes.resolve(path).unwrap().read_for_writing().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FsDenied, "{path}");
        }
    }

    #[test]
    fn eight_writers_lose_no_update() {
        const WRITERS: usize = 8;
        const UPDATES: usize = 60;
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("count"), "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let sandboxes = writable(temp.path());
                    let place = sandboxes.resolve("w/count").unwrap();
                    let mut done = 0;
                    while done < UPDATES {
                        let expected = place.read_for_writing().unwrap();
                        let Expected::Present { bytes, .. } = &expected else {
                            panic!("the file is gone")
                        };
                        let count: usize = std::str::from_utf8(bytes).unwrap().parse().unwrap();
                        match place.write((count + 1).to_string().as_bytes(), &expected) {
                            Ok(()) => done += 1,
                            Err(error) => assert_eq!(error.kind(), ErrorKind::Stale, "{error}"),
                        }
                    }
                });
            }
        });
        assert_eq!(
            std::fs::read_to_string(temp.path().join("count")).unwrap(),
            (WRITERS * UPDATES).to_string()
        );
        assert_eq!(names(temp.path()), ["count"]);
    }
}
