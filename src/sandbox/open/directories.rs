//! Checks many files below a root, without ever leaving it and without waiting.
//!
//! The directories of a path are opened one by one and never through a link, and stay open until a
//! path leads elsewhere: for sorted paths, a check of a file is one call.

use crate::system::fd::{AsFd, BorrowedFd, OwnedFd};
use std::fs::File;
use std::io;

use crate::system::fs::{AtFlags, Mode, fstat, openat, readlinkat, statat};
use crate::system::io::Errno;

use crate::open::beneath::{DIRECTORY, FILE, Root, names_entries};
use crate::open::directory::{self, DirectoryEntry};
use crate::open::handles::with_handles;
use crate::open::state::{EntryKind, FileState};

/// Checks files below a root. Paths are relative to it, components separated by `/`.
///
/// `None` always means that nothing can be reached at the path without following a link: it does
/// not exist, or a directory on the way is a file or a link.
pub struct Directories {
    root: Root,
    /// The last opened directory.
    directory: Vec<u8>,
    /// The directories above it, with the length of each path.
    opened: Vec<(usize, OwnedFd)>,
}

impl Directories {
    /// Returns a view of the entries below `root`.
    pub fn new(root: Root) -> Self {
        Self { root, directory: Vec::new(), opened: Vec::new() }
    }

    /// Returns the state of a path; does not follow a link.
    pub fn look(&mut self, path: &[u8]) -> io::Result<Option<FileState>> {
        some(
            self.enter_parent(path)
                .and_then(|(directory, name)| statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)),
        )
        .map(|stat| stat.as_ref().map(FileState::new))
    }

    /// Opens the regular file at a path for reading, `None` for another kind.
    pub fn open(&mut self, path: &[u8]) -> io::Result<Option<(File, FileState)>> {
        let opened = self.enter_parent(path).and_then(|(directory, name)| {
            with_handles(|| openat(directory, name, FILE, Mode::empty()))
        });
        let Some(file) = some(opened)? else { return Ok(None) };
        let state = FileState::new(&fstat(&file)?);
        Ok((state.kind == EntryKind::File).then(|| (File::from(file), state)))
    }

    /// Returns the target of the link at a path, `None` for another kind.
    pub fn read_link(&mut self, path: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let target = self
            .enter_parent(path)
            .and_then(|(directory, name)| readlinkat(directory, name, Vec::new()));
        Ok(some(target)?.map(std::ffi::CString::into_bytes))
    }

    /// Returns the entries of a directory (`''` is the root), unordered, `None` where there is
    /// none.
    pub fn entries(&mut self, directory: &[u8]) -> io::Result<Option<Vec<DirectoryEntry>>> {
        let Some(handle) = some(self.enter(directory))? else { return Ok(None) };
        Ok(directory::entries(handle, usize::MAX)?)
    }

    /// Opens the parent directory of a path and returns it with the path's last component.
    fn enter_parent<'a>(
        &mut self,
        path: &'a [u8],
    ) -> crate::system::io::Result<(BorrowedFd<'_>, &'a [u8])> {
        let start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let name = &path[start..];
        if !names_entries(name) {
            return Err(Errno::NOENT);
        }
        Ok((self.enter(&path[..start.saturating_sub(1)])?, name))
    }

    /// Opens a directory; reuses those on the way that are open already.
    fn enter(&mut self, directory: &[u8]) -> crate::system::io::Result<BorrowedFd<'_>> {
        let is_above = |end: usize| {
            directory.get(..end) == self.directory.get(..end)
                && directory.get(end).is_none_or(|&byte| byte == b'/')
        };
        let kept = self.opened.iter().take_while(|(end, _)| is_above(*end)).count();
        self.opened.truncate(kept);
        self.directory.clear();
        self.directory.extend_from_slice(directory);
        let mut start = self.opened.last().map_or(0, |(end, _)| end + 1);
        while start < directory.len() {
            let end = directory[start..]
                .iter()
                .position(|&byte| byte == b'/')
                .map_or(directory.len(), |at| start + at);
            let name = &directory[start..end];
            if !names_entries(name) {
                return Err(Errno::NOENT);
            }
            let above = self.deepest();
            let opened = with_handles(|| openat(above, name, DIRECTORY, Mode::empty()))?;
            self.opened.push((end, opened));
            start = end + 1;
        }
        Ok(self.deepest())
    }

    /// Returns the last opened directory.
    fn deepest(&self) -> BorrowedFd<'_> {
        self.opened.last().map_or(self.root.directory.as_fd(), |(_, opened)| opened.as_fd())
    }
}

fn some<T>(result: crate::system::io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(
            Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::MLINK
            | Errno::NXIO
            | Errno::INVAL
            | Errno::NAMETOOLONG,
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fixture::fifo;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_directory_that_became_a_link_leads_nowhere_even_when_it_was_open() {
        let temp = tempfile::tempdir().unwrap();
        let inside = temp.path().join("inside");
        std::fs::create_dir_all(inside.join("a/b")).unwrap();
        std::fs::create_dir_all(inside.join("ab")).unwrap();
        std::fs::create_dir_all(temp.path().join("outside/b")).unwrap();
        for path in ["inside/a/b/file", "inside/ab/file", "outside/b/secret"] {
            std::fs::write(temp.path().join(path), path).unwrap();
        }
        let mut directories = Directories::new(Root::open(&inside).unwrap());
        let mut size = |path: &[u8]| directories.look(path).unwrap().map(|state| state.size);
        assert_eq!(size(b"a/b/file"), Some(15));
        assert_eq!(size(b"ab/file"), Some(14));
        assert_eq!(size(b"a/b/../../ab/file"), None);
        assert_eq!(size(b"../outside/b/secret"), None);
        assert_eq!(size(b"/etc/hostname"), None);
        assert_eq!(size(b""), None);
        assert_eq!(size(b"a/b/file/x"), None);
        std::fs::rename(inside.join("a"), temp.path().join("gone")).unwrap();
        symlink("../outside", inside.join("a")).unwrap();
        assert_eq!(size(b"a/b/secret"), None);
        assert_eq!(directories.look(b"a").unwrap().map(|state| state.kind), Some(EntryKind::Link));
        assert_eq!(directories.read_link(b"a").unwrap().as_deref(), Some(&b"../outside"[..]));
        assert!(directories.entries(b"a").unwrap().is_none());
    }

    #[test]
    fn a_fifo_is_reported_without_waiting() {
        let temp = tempfile::tempdir().unwrap();
        fifo(&temp.path().join("fifo"));
        let mut directories = Directories::new(Root::open(temp.path()).unwrap());
        assert_eq!(
            directories.look(b"fifo").unwrap().map(|state| state.kind),
            Some(EntryKind::Special)
        );
        assert!(directories.open(b"fifo").unwrap().is_none());
        let entries = directories.entries(b"").unwrap().unwrap();
        assert_eq!(entries, [DirectoryEntry { name: b"fifo".to_vec(), kind: EntryKind::Special }]);
    }
}
