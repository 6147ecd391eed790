//! Opened files and directories.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened file or directory, and the path by which it was opened.
#[derive(Debug)]
pub struct OwnedFd {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

/// The same, borrowed; a [`File`] has no path.
#[derive(Debug, Clone, Copy)]
pub struct BorrowedFd<'a> {
    pub(super) file: Option<&'a File>,
    pub(super) path: Option<&'a Path>,
}

/// What is opened.
pub trait AsFd {
    /// Returns it borrowed.
    fn as_fd(&self) -> BorrowedFd<'_>;
}

impl AsFd for OwnedFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        BorrowedFd { file: Some(&self.file), path: Some(&self.path) }
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        BorrowedFd { file: Some(self), path: None }
    }
}

impl AsFd for BorrowedFd<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        *self
    }
}

impl<T: AsFd> AsFd for &T {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (**self).as_fd()
    }
}

impl<T: AsFd> AsFd for Arc<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (**self).as_fd()
    }
}

impl OwnedFd {
    pub fn try_clone(&self) -> std::io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, path: self.path.clone() })
    }
}

impl From<File> for OwnedFd {
    fn from(file: File) -> Self {
        Self { file, path: PathBuf::new() }
    }
}

impl From<OwnedFd> for File {
    fn from(opened: OwnedFd) -> Self {
        opened.file
    }
}
