//! Directories of a repository, and the files opened below them.
//!
//! Each is opened once, relative to one that was opened before, and the opened file is the one that
//! is parsed. If the host limits access, no link inside a git directory is followed: git itself
//! creates none there, as worktrees and alternates are named in text. Without limits, links are
//! followed as in git.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;

use redline_base::error::{Error, Result, quoted};
use redline_base::limits;
use redline_base::os_path;
use redline_sandbox::{
    Access, Directory, DirectoryEntry, OpenError, PooledFile, RegularFile, Stamp,
};

/// The access rules of a query, and its name for the repository.
#[derive(Debug)]
pub struct Gate {
    access: Arc<Access>,
    /// The given path, for messages.
    given: Arc<str>,
}

/// A directory of a repository: a git directory or one below it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GitDirectory {
    gate: Arc<Gate>,
    directory: Directory,
    /// The path from the git directory for messages, with a trailing slash; empty for the git
    /// directory.
    name: Arc<[u8]>,
}

/// The kind of an entry.
#[derive(Debug)]
pub enum Found {
    /// Nothing.
    Absent,
    /// A directory.
    Directory,
    /// A regular file, opened.
    File(RegularFile),
}

impl Gate {
    /// Returns the gate of a query for the repository `given`.
    pub fn new(access: &Arc<Access>, given: &str) -> Arc<Self> {
        Arc::new(Self { access: Arc::clone(access), given: given.into() })
    }

    /// Returns the access rules.
    pub fn access(&self) -> &Arc<Access> {
        &self.access
    }

    /// Returns the given path.
    pub fn given(&self) -> &Arc<str> {
        &self.given
    }

    /// Opens a directory by its path; `None` if there is none.
    ///
    /// # Errors
    /// `fs_denied` if the path leads outside of what may be read.
    pub fn open(self: &Arc<Self>, path: &Path) -> Result<Option<GitDirectory>> {
        match self.access.open_directory(path) {
            Ok(directory) => Ok(Some(self.directory(directory))),
            Err(OpenError::Absent | OpenError::Directory | OpenError::Special) => Ok(None),
            Err(error) => Err(self.failed(error, path.as_os_str().as_encoded_bytes())),
        }
    }

    /// Opens a directory by its path; `None` if there is none that may be read.
    pub fn open_within(self: &Arc<Self>, path: &Path) -> Result<Option<GitDirectory>> {
        match self.access.open_directory(path) {
            Err(OpenError::Outside) => Ok(None),
            Ok(directory) => Ok(Some(self.directory(directory))),
            Err(error) => Err(self.failed(error, path.as_os_str().as_encoded_bytes())),
        }
    }

    /// Opens a directory by its path; `None` if there is none that may and can be read.
    pub fn open_if_readable(self: &Arc<Self>, path: &Path) -> Result<Option<GitDirectory>> {
        match self.access.open_directory(path) {
            Ok(directory) => Ok(Some(self.directory(directory))),
            Err(error) if is_unusable(&error) => Ok(None),
            Err(error) => Err(self.failed(error, path.as_os_str().as_encoded_bytes())),
        }
    }

    /// Tells whether there is a readable file at a path, for the wording of an error.
    pub fn is_file(self: &Arc<Self>, path: &Path) -> bool {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let parent = self.open(parent).ok().flatten();
        parent.is_some_and(|parent| {
            matches!(parent.look(name.as_encoded_bytes()), Ok(Found::File(_)))
        })
    }

    fn directory(self: &Arc<Self>, directory: Directory) -> GitDirectory {
        GitDirectory { gate: Arc::clone(self), directory, name: Arc::default() }
    }

    /// Returns the error of a damaged repository; `what` continues the sentence.
    pub fn damaged(&self, what: impl std::fmt::Display) -> Error {
        Error::tool_failed(format!("the repository at {} is damaged: {what}", quoted(&self.given)))
            .with_hint("Run 'git fsck' there")
    }

    /// Returns an error about a limit of redline; `what` continues the sentence.
    pub fn too_large(&self, what: impl std::fmt::Display) -> Error {
        Error::too_large(format!("the repository at {} {what}", quoted(&self.given)))
            .with_hint("This is a fixed limit; docs/limitations.md lists all limits")
    }

    fn failed(&self, error: OpenError, name: &[u8]) -> Error {
        let shown = quoted(&name.to_str_lossy());
        match error {
            OpenError::Absent => self.damaged(format!("its {shown} is missing")),
            OpenError::Directory => self.damaged(format!("its {shown} is a directory")),
            OpenError::Special => self.damaged(format!("its {shown} is neither a file nor a directory")),
            OpenError::Outside => self.access.outside(&self.given),
            OpenError::Reserved(name) => Error::fs_denied(format!(
                "the repository at {} is in, reads from, or has its work tree in a directory {}, which is reserved",
                quoted(&self.given),
                quoted(&name)
            ))
            .with_hint("What is in such a directory is neither read nor written"),
            OpenError::Link => Error::fs_denied(format!(
                "the repository at {} has a symbolic link at {shown}, and none is followed in a git directory while \
                 the host limits what may be read",
                quoted(&self.given)
            ))
            .with_hint("Replace the link by its target; git names worktrees and borrowed stores in text"),
            OpenError::TooLarge { size } => self.too_large(format!("has {size} bytes or entries in {shown}")),
            OpenError::System(error) => self.system(error, &shown),
            OpenError::Stopped(stopped) => stopped.into(),
        }
    }

    fn system(&self, error: std::io::Error, shown: &str) -> Error {
        let given = quoted(&self.given);
        let failed =
            Error::tool_failed(format!("{shown} of the repository at {given} cannot be read"));
        match (error.kind(), error.raw_os_error()) {
            (std::io::ErrorKind::PermissionDenied, _) => Error::fs_denied(format!(
                "{shown} of the repository at {given} is not readable for this process"
            )),
            // EMFILE and ENFILE have no kind of their own.
            (_, Some(23 | 24)) => failed
                .with_hint("Too many files are open; raise the limit of the process (ulimit -n)"),
            _ => failed.with_hint("Check the disk and the system's log"),
        }
        .with_source(error)
    }
}

/// Tells whether nothing that may and can be read is at a path; other errors are failures.
fn is_unusable(error: &OpenError) -> bool {
    match error {
        OpenError::System(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
        OpenError::Stopped(_) => false,
        _ => true,
    }
}

impl GitDirectory {
    /// Returns the gate of the query.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Returns the opened directory, in which `writing` creates files.
    pub(super) fn directory_to_write(&self) -> &Directory {
        &self.directory
    }

    /// Returns the path by which the directory was opened: absolute, and canonical if access is
    /// limited.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Opens the entry at `name`, components separated by `/`.
    pub fn look(&self, name: &[u8]) -> Result<Found> {
        match self.directory.file(name) {
            Ok(file) => Ok(Found::File(file)),
            Err(OpenError::Absent) => Ok(Found::Absent),
            Err(OpenError::Directory) => Ok(Found::Directory),
            Err(error) => Err(self.failed(error, name)),
        }
    }

    /// Does the same; an entry that cannot be used, or may not be read, counts as absent.
    pub fn look_if_readable(&self, name: &[u8]) -> Result<Found> {
        match self.directory.file(name) {
            Ok(file) => Ok(Found::File(file)),
            Err(OpenError::Directory) => Ok(Found::Directory),
            Err(error) if is_unusable(&error) => Ok(Found::Absent),
            Err(error) => Err(self.failed(error, name)),
        }
    }

    /// Opens the file at `name`, `None` if it is absent.
    pub fn open(&self, name: &[u8]) -> Result<Option<RegularFile>> {
        match self.look(name)? {
            Found::File(file) => Ok(Some(file)),
            Found::Absent => Ok(None),
            Found::Directory => Err(self.failed(OpenError::Directory, name)),
        }
    }

    /// Opens the file at `name`, which git never rewrites, `None` if it is absent; it may be closed
    /// between two reads.
    pub fn pooled(&self, name: &[u8]) -> Result<Option<PooledFile>> {
        self.if_any(PooledFile::open(&self.directory, name), name)
    }

    /// Tells whether anything exists at `name`, including a dangling link.
    pub fn has(&self, name: &[u8]) -> Result<bool> {
        self.directory.exists(name).map_err(|error| self.failed(error, name))
    }

    /// Reads the file at `name`, `None` if it is absent.
    ///
    /// # Errors
    /// `too_large` for a file of more than `limit` bytes.
    pub fn read(&self, name: &[u8], limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.open(name)? else { return Ok(None) };
        self.contents(&file, name, limit).map(Some)
    }

    /// Reads a file that was opened at `name`.
    ///
    /// # Errors
    /// `too_large` for a file of more than `limit` bytes.
    pub fn contents(&self, file: &RegularFile, name: &[u8], limit: u64) -> Result<Vec<u8>> {
        file.read_all(limit).map_err(|error| match error {
            OpenError::TooLarge { size } => {
                let shown = quoted(&self.full(name).to_str_lossy());
                self.gate
                    .too_large(format!("has {size} bytes in {shown}, and redline reads {limit}"))
            }
            error => self.failed(error, name),
        })
    }

    /// Returns the target of the link at `name`, `None` if there is none, or if links are refused
    /// when opened.
    pub fn link(&self, name: &[u8]) -> Result<Option<Vec<u8>>> {
        self.directory.link(name).map_err(|error| self.failed(error, name))
    }

    /// Opens the directory at `name`, `None` if there is none.
    pub fn directory(&self, name: &[u8]) -> Result<Option<Self>> {
        let found = self.if_any(self.directory.directory(name), name)?;
        Ok(found.map(|directory| {
            let name = [&self.full(name)[..], b"/"].concat();
            Self { gate: Arc::clone(&self.gate), directory, name: name.into() }
        }))
    }

    /// Returns the entries of the directory itself, unordered.
    ///
    /// # Errors
    /// `too_large` for more than [`limits::DIRECTORY_ENTRIES`].
    pub fn entries(&self) -> Result<Vec<DirectoryEntry>> {
        self.directory.entries(limits::DIRECTORY_ENTRIES).map_err(|error| self.failed(error, b""))
    }

    /// Returns the stamp of the file at `name`, `None` if it is absent.
    pub fn stamp(&self, name: &[u8]) -> Result<Option<Stamp>> {
        self.if_any(self.directory.stamp_of(name), name)
    }

    /// Returns the stamp of the directory: its identity and the state of its list of names.
    pub fn own_stamp(&self) -> Result<Stamp> {
        self.directory.stamp().map_err(|error| self.failed(error, b""))
    }

    /// Opens the directory of a path in a file of this one: absolute, or relative to this one;
    /// `None` if there is none.
    ///
    /// # Errors
    /// `fs_denied` if the path leads outside of what may be read.
    pub fn follow(&self, path: &[u8]) -> Result<Option<Self>> {
        self.gate.open(&self.join(path))
    }

    /// Returns the path of a name in a file of this directory.
    pub fn join(&self, path: &[u8]) -> PathBuf {
        self.path().join(os_path::of_git(path))
    }

    /// Returns what was opened at `name`, `None` if it is absent.
    fn if_any<T>(
        &self,
        opened: std::result::Result<T, OpenError>,
        name: &[u8],
    ) -> Result<Option<T>> {
        match opened {
            Ok(opened) => Ok(Some(opened)),
            Err(OpenError::Absent) => Ok(None),
            Err(error) => Err(self.failed(error, name)),
        }
    }

    /// Returns the error of an entry that could not be opened.
    pub fn failed(&self, error: OpenError, name: &[u8]) -> Error {
        self.gate.failed(error, &self.full(name))
    }

    /// Returns the path of an entry below this directory, from the git directory on, for messages.
    pub fn full(&self, name: &[u8]) -> Vec<u8> {
        [&self.name[..], name].concat()
    }
}
