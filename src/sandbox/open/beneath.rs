//! Opens files below a root without ever leaving it.
//!
//! Nothing is opened through a link, so a directory that is replaced by a link meanwhile cannot be
//! entered. On Linux this is one call, `openat2`; without it (kernels before 5.6, or a container
//! that forbids it) and on other systems, each name is opened relative to the directory before it.

use crate::system::fd::OwnedFd;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::system::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};
use crate::system::io::{Errno, Result};

use crate::open::handles::with_handles;
use crate::open::state::id_of;

/// For reading, and never as the controlling terminal.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NOCTTY);
/// Only a directory.
pub(crate) const DIRECTORY: OFlags = READ.union(OFlags::DIRECTORY);
/// Without NONBLOCK, opening a FIFO waits for its writer for ever.
pub(crate) const FILE: OFlags = READ.union(OFlags::NONBLOCK);

/// A directory below which files are read.
#[derive(Debug)]
pub struct Root {
    pub(crate) directory: OwnedFd,
}

impl Root {
    /// Opens a directory; `path` itself may lead through links.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { directory: crate::system::fs::open(path, flags, Mode::empty())? })
    }

    /// Returns the device, the inode and, if the file system has it, the birth time of the
    /// directory: independent of its current name.
    pub(crate) fn identity(&self) -> Result<[u8; 32]> {
        let (device, inode) = id_of(&fstat(&self.directory)?);
        let mut identity = [0; 32];
        for (field, number) in
            identity.chunks_mut(8).zip([device, inode, self.born().0, self.born().1])
        {
            field.copy_from_slice(&number.to_be_bytes());
        }
        Ok(identity)
    }

    /// Returns the birth time of the directory in seconds and nanoseconds; zeros if unknown.
    #[cfg(target_os = "linux")]
    fn born(&self) -> (u64, u64) {
        use crate::system::fs::{StatxFlags, statx};
        match statx(&self.directory, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME) {
            Ok(found) if found.stx_mask & StatxFlags::BTIME.bits() != 0 => {
                (found.stx_btime.tv_sec.cast_unsigned(), found.stx_btime.tv_nsec.into())
            }
            _ => (0, 0),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn born(&self) -> (u64, u64) {
        (0, 0)
    }

    /// Returns the bytes of the regular file at `relative` (components separated by `/`), or the
    /// size of one of more than `limit` bytes; `None` if there is none: no such path, a link or a
    /// non-directory on the way, or a link, FIFO, device or directory at its end.
    pub fn read_or_size(
        &self,
        relative: &[u8],
        limit: u64,
    ) -> std::io::Result<Option<std::result::Result<Vec<u8>, u64>>> {
        match self.open_any(relative) {
            Ok(file) => {
                let found = file.metadata()?;
                if !found.is_file() {
                    return Ok(None);
                }
                Ok(Some(read_bounded(file, limit)?.ok_or(found.len().max(limit))))
            }
            Err(
                Errno::NOENT
                | Errno::NOTDIR
                | Errno::LOOP
                | Errno::MLINK
                | Errno::NXIO
                | Errno::INVAL,
            ) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens any entry at `relative`, also a directory or a special file; a link, there or on the
    /// way, is `ELOOP`.
    pub(crate) fn open_any(&self, relative: &[u8]) -> Result<File> {
        open_beneath(&self.directory, relative, FILE).map(File::from)
    }

    /// Opens the directory at `relative`; `""` is the root.
    pub(crate) fn open_directory(&self, relative: &str) -> Result<OwnedFd> {
        match relative {
            "" => with_handles(|| openat(&self.directory, ".", DIRECTORY, Mode::empty())),
            relative => open_beneath(&self.directory, relative.as_bytes(), DIRECTORY),
        }
    }

    /// Returns up to `most` names of the directory at `relative`, those that are UTF-8.
    pub(crate) fn names(&self, relative: &str, most: usize) -> Result<Vec<String>> {
        let entries = Dir::new(self.open_directory(relative)?)?;
        Ok(entries
            .flatten()
            .take(most)
            .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
            .collect())
    }

    /// Tells whether the directory at `relative` is a git directory, whatever its name.
    ///
    /// # Errors
    /// System errors, if that is unknown: then no file may be written there.
    pub(crate) fn is_git_directory(&self, relative: &str) -> Result<bool> {
        let directory = match self.open_directory(relative) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => return Ok(false),
            opened => opened?,
        };
        let has = |name| match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(false),
            found => found.map(|_| true),
        };
        Ok(has("HEAD")? && (has("objects")? && has("refs")? || has("commondir")?))
    }
}

/// Tells whether each component of a path names an entry of its directory.
pub(crate) fn names_entries(relative: &[u8]) -> bool {
    relative.split(|&byte| byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

/// Opens the entry at `relative` below a directory; a link, there or on the way, is `ELOOP`.
pub(crate) fn open_beneath(above: &OwnedFd, relative: &[u8], flags: OFlags) -> Result<OwnedFd> {
    if !names_entries(relative) {
        return Err(Errno::INVAL);
    }
    with_handles(|| open_below(above, relative, flags))
}

fn open_below(above: &OwnedFd, relative: &[u8], flags: OFlags) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    match open_at_once(above, relative, flags) {
        // The call is missing or forbidden, or the path is too long for one call.
        Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => {}
        opened => return opened,
    }
    open_by_steps(above, relative, flags)
}

#[cfg(target_os = "linux")]
fn open_at_once(above: &OwnedFd, relative: &[u8], flags: OFlags) -> Result<OwnedFd> {
    use crate::system::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    openat2(above, relative, flags, Mode::empty(), resolve)
}

fn open_by_steps(root: &OwnedFd, relative: &[u8], flags: OFlags) -> Result<OwnedFd> {
    let mut opened: Option<OwnedFd> = None;
    let mut names = relative.split(|&byte| byte == b'/').peekable();
    while let Some(name) = names.next() {
        let above = opened.as_ref().unwrap_or(root);
        let flags = if names.peek().is_some() { DIRECTORY } else { flags };
        let next = openat(above, name, flags, Mode::empty()).map_err(|error| match error {
            // Systems differ in the error for a link in place of a directory.
            Errno::NOTDIR | Errno::MLINK if is_link(above, name) => Errno::LOOP,
            error => error,
        })?;
        opened = Some(next);
    }
    opened.ok_or(Errno::INVAL)
}

fn is_link(directory: &OwnedFd, name: &[u8]) -> bool {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// Reads a file to its end; `None` if it has more than `limit` bytes, also if it grows meanwhile.
pub(crate) fn read_bounded(file: File, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let size = file.metadata()?.len();
    if size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size.saturating_add(1)).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    // One byte more than the limit reveals a file that has grown over it. If it has, the standard
    // library's further allocation fails with an error.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::fixture::fifo;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    /// A directory `inside` with links out of it, beside a directory `outside`.
    fn directories() -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        let inside = temp.path().join("inside");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::create_dir(temp.path().join("outside")).unwrap();
        std::fs::write(temp.path().join("outside/file"), "secret").unwrap();
        std::fs::write(inside.join("sub/file"), "fine").unwrap();
        std::fs::write(inside.join("large"), "12345").unwrap();
        symlink("../outside", inside.join("directory-link")).unwrap();
        symlink("../outside/file", inside.join("file-link")).unwrap();
        symlink("sub/file", inside.join("inner-link")).unwrap();
        symlink("sub", inside.join("inner-directory")).unwrap();
        symlink("circle", inside.join("circle")).unwrap();
        fifo(&inside.join("fifo"));
        temp
    }

    #[test]
    fn nothing_outside_the_root_and_nothing_that_blocks_is_read() {
        let temp = directories();
        let root = Root::open(&temp.path().join("inside")).unwrap();
        let read = |path: &str| root.read_or_size(path.as_bytes(), 4).unwrap();
        assert_eq!(read("sub/file"), Some(Ok(b"fine".to_vec())));
        assert_eq!(read("large"), Some(Err(5)));
        for path in [
            "",
            "/",
            "..",
            "../outside/file",
            "sub/../../outside/file",
            "/etc/hostname",
            "directory-link/file",
            "file-link",
            "inner-link",
            "inner-directory/file",
            "circle",
            "circle/file",
            "fifo",
            "sub",
            "sub/",
            "sub/./file",
            "missing",
            "sub/file/x",
        ] {
            assert_eq!(read(path), None, "{path}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_kernel_without_openat2_gives_the_same_answers() {
        let temp = directories();
        let root = Root::open(&temp.path().join("inside")).unwrap();
        for path in [
            "sub/file",
            "sub",
            "directory-link/file",
            "directory-link",
            "file-link",
            "inner-link",
            "inner-directory/file",
            "circle",
            "circle/file",
            "missing",
            "missing/file",
            "sub/file/x",
            "sub/missing",
            "fifo",
        ] {
            let once = |flags| open_at_once(&root.directory, path.as_bytes(), flags).map(|_| ());
            let steps = |flags| open_by_steps(&root.directory, path.as_bytes(), flags).map(|_| ());
            assert_eq!(once(FILE), steps(FILE), "{path}");
            assert_eq!(once(DIRECTORY).is_ok(), steps(DIRECTORY).is_ok(), "{path}");
        }
    }

    /// One thread repeatedly replaces the file and its directory by links while another one reads:
    /// with both ways of opening, nothing outside is ever read.
    // Promise (sandbox): A link that is swapped in while a file is opened is not followed, nor on
    // kernels without `openat2`. With `no_link_that_is_swapped_in_while_reading_leads_out`,
    // `test_a_link_that_is_swapped_in_while_a_query_reads_is_not_followed`.
    #[test]
    fn a_link_that_is_swapped_in_while_opening_is_not_followed() {
        let temp = directories();
        let inside = temp.path().join("inside");
        std::fs::create_dir(inside.join("real")).unwrap();
        std::fs::write(inside.join("real/file"), "fine").unwrap();
        symlink("../outside", inside.join("link")).unwrap();
        symlink("../../outside/file", inside.join("sub/link")).unwrap();
        let root = Root::open(&inside).unwrap();
        let exchange = |a: &str, b: &str| {
            let (a, b) = (inside.join(a), inside.join(b));
            let spare = inside.join("spare");
            std::fs::rename(&a, &spare)
                .and(std::fs::rename(&b, &a))
                .and(std::fs::rename(&spare, &b))
                .unwrap();
        };
        let read = || {
            let (mut fine, mut refused) = (0, 0);
            let end = Instant::now() + Duration::from_secs(1);
            while Instant::now() < end {
                for path in [&b"real/file"[..], b"sub/file", b"link/file", b"sub/link"] {
                    for opened in [
                        open_by_steps(&root.directory, path, FILE),
                        open_beneath(&root.directory, path, FILE),
                    ] {
                        match opened
                            .map(|file| read_bounded(File::from(file), 100).unwrap().unwrap())
                        {
                            Ok(bytes) if bytes == b"fine" => fine += 1,
                            Ok(bytes) => panic!("read {:?}", String::from_utf8_lossy(&bytes)),
                            Err(_) => refused += 1,
                        }
                    }
                }
            }
            (fine, refused)
        };
        let (fine, refused) = std::thread::scope(|scope| {
            let reader = scope.spawn(read);
            while !reader.is_finished() {
                exchange("real", "link");
                exchange("sub/file", "sub/link");
            }
            reader.join().unwrap()
        });
        assert!(fine > 100 && refused > 100, "{fine} read, {refused} refused: nothing was swapped");
    }
}
