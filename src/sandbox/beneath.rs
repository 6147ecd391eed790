//! Reading files beneath a root without ever leaving it.
//!
//! Each component is opened relative to the folder before it, and never through a link, so a
//! folder that is swapped for a link while we read leads nowhere. This is what `openat2` with
//! `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS` does in one call on Linux, written with calls that
//! every Unix has.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;

/// A folder that files are read beneath.
#[derive(Debug)]
pub struct Root {
    pub(super) folder: OwnedFd,
}

impl Root {
    /// Opens a folder; `path` itself may lead through links.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { folder: rustix::fs::open(path, flags, Mode::empty())? })
    }

    /// Returns the bytes of the regular file at `relative` (components separated by `/`), or
    /// `None` where there is none: no such path, a link or a non-folder on the way, a link, FIFO,
    /// device or folder at its end, or a file of more than `limit` bytes.
    pub fn read(&self, relative: &[u8], limit: u64) -> std::io::Result<Option<Vec<u8>>> {
        match self.open_file(relative) {
            Ok(file) => read_regular(file, limit),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::MLINK | Errno::NXIO | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn open_file(&self, relative: &[u8]) -> rustix::io::Result<OwnedFd> {
        let folder = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Without NONBLOCK, opening a FIFO waits for its writer for ever.
        let file = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut opened: Option<OwnedFd> = None;
        let mut components = relative.split(|&byte| byte == b'/').peekable();
        while let Some(component) = components.next() {
            if matches!(component, b"" | b"." | b"..") {
                return Err(Errno::INVAL);
            }
            let flags = if components.peek().is_some() { folder } else { file };
            opened = Some(openat(opened.as_ref().unwrap_or(&self.folder), component, flags, Mode::empty())?);
        }
        opened.ok_or(Errno::INVAL)
    }
}

fn read_regular(file: OwnedFd, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    // One byte more than the limit tells a file that is too large, even one that grows.
    File::from(file).take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_outside_the_root_and_nothing_that_blocks_is_read() {
        let temp = tempfile::tempdir().unwrap();
        let inside = temp.path().join("inside");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::create_dir(temp.path().join("outside")).unwrap();
        std::fs::write(temp.path().join("outside/file"), "secret").unwrap();
        std::fs::write(inside.join("sub/file"), "fine").unwrap();
        std::fs::write(inside.join("large"), "12345").unwrap();
        symlink("../outside", inside.join("folder-link")).unwrap();
        symlink("../outside/file", inside.join("file-link")).unwrap();
        symlink("sub/file", inside.join("inner-link")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, inside.join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();

        let root = Root::open(&inside).unwrap();
        assert_eq!(root.read(b"sub/file", 4).unwrap().as_deref(), Some(&b"fine"[..]));
        for path in [
            "",
            "/",
            "..",
            "../outside/file",
            "sub/../../outside/file",
            "/etc/hostname",
            "folder-link/file",
            "file-link",
            "inner-link",
            "fifo",
            "sub",
            "sub/",
            "sub/./file",
            "missing",
            "sub/file/x",
            "large",
        ] {
            assert_eq!(root.read(path.as_bytes(), 4).unwrap(), None, "{path}");
        }
    }
}
