//! The parts of a repository on disk, looked at before gix opens any of them: each must be a file
//! or a folder, since opening a FIFO waits for ever and a device may never end; and where file
//! access is limited, each must lie in an allowed folder.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix::bstr::ByteSlice;

use super::locate::Location;
use crate::error::{Error, Result, quoted};
use crate::limits;
use crate::sandbox::Access;

/// Files that git reads from a git folder or a common folder, where they exist.
const FILES: [&str; 9] =
    ["HEAD", "config", "config.worktree", "commondir", "gitdir", "packed-refs", "shallow", "index", "info/attributes"];
/// Folders whose files git reads, at any depth.
const FOLDERS: [&str; 2] = ["refs", "logs"];

/// Checks the parts of one repository.
pub struct Parts<'a> {
    access: &'a Access,
    /// The path as the user gave it, for messages.
    given: &'a str,
}

impl<'a> Parts<'a> {
    /// Returns the check of the repository that was given as `given`.
    pub fn new(access: &'a Access, given: &'a str) -> Self {
        Self { access, given }
    }

    /// Refuses a repository with a part that cannot be read safely or lies outside what may be
    /// read.
    pub fn check(&self, location: &Location) -> Result<()> {
        if let Some(work_tree) = &location.work_tree {
            self.access.check(work_tree, self.given)?;
        }
        let mut folders = vec![&location.git_dir];
        if location.common_dir != location.git_dir {
            folders.push(&location.common_dir);
        }
        for folder in folders {
            self.access.check(folder, self.given)?;
            // Other references (ORIG_HEAD and its like) stand beside HEAD.
            self.entries(folder, 0)?;
            for name in FILES {
                let path = folder.join(name);
                if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
                    return Err(self.damaged(&path, "is not a file"));
                }
                self.check_target(&path)?;
            }
            self.shallow(&folder.join("shallow"))?;
            for name in FOLDERS {
                self.check_target(&folder.join(name))?;
                self.entries(&folder.join(name), limits::REFERENCE_DEPTH)?;
            }
        }
        self.store(&location.common_dir.join("objects"), 0)
    }

    /// Checks that a list of shallow commits holds ids and nothing else, which gix takes for
    /// granted.
    fn shallow(&self, path: &Path) -> Result<()> {
        let is_id = |line: &[u8]| matches!(line.len(), 40 | 64) && line.iter().all(u8::is_ascii_hexdigit);
        match fs::read(path) {
            Ok(bytes) if !bytes.lines().all(is_id) => Err(self.damaged(path, "holds something else than ids")),
            _ => Ok(()),
        }
    }

    /// Checks the files in a folder, and in those below it to a depth.
    fn entries(&self, folder: &Path, depth: usize) -> Result<()> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                continue;
            }
            let path = entry.path();
            if kind.is_dir() {
                if depth > 0 {
                    self.entries(&path, depth - 1)?;
                }
                continue;
            }
            let target =
                if kind.is_symlink() { fs::metadata(&path).map(|found| found.file_type()).ok() } else { Some(kind) };
            if target.as_ref().is_some_and(is_special) {
                return Err(self.damaged(&path, "is neither a file nor a folder"));
            }
            self.check_target(&path)?;
        }
        Ok(())
    }

    /// Checks where a path leads after its links are resolved.
    fn check_target(&self, path: &Path) -> Result<()> {
        self.access.check_target(path, self.given)
    }

    /// Checks an object store and those it borrows from.
    fn store(&self, objects: &Path, depth: usize) -> Result<()> {
        self.check_target(objects)?;
        let Ok(objects) = objects.canonicalize() else { return Ok(()) };
        // Loose objects lie one folder deep, as do packs and lists of packs.
        self.entries(&objects, 2)?;
        let Ok(alternates) = fs::read(objects.join("info/alternates")) else { return Ok(()) };
        if depth == limits::ALTERNATES_DEPTH {
            return Err(self.damaged(&objects, "borrows from too many levels of stores"));
        }
        for line in alternates.lines().filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
            if line.starts_with(b"\"") && !self.access.is_unlimited() {
                // It would have to be unquoted exactly as gix does to be checked; git writes none.
                return Err(Error::fs_denied(format!("{} has a quoted path in its alternates", quoted(self.given)))
                    .with_hint("Write the path in objects/info/alternates without quotes"));
            }
            self.store(&objects.join(OsStr::from_bytes(line)), depth + 1)?;
        }
        Ok(())
    }

    fn damaged(&self, path: &Path, what: &str) -> Error {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Error::tool_failed(format!("the repository at {} is damaged: its {} {what}", quoted(self.given), quoted(&name)))
            .with_hint("Run 'git fsck' there")
    }
}

/// Tells a FIFO, socket or device.
fn is_special(kind: &FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}
