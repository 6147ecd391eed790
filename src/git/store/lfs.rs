//! The contents of Git LFS that a repository has, in a store of files beside its objects.

use gix::config::File;
use gix::hash::{Kind, hasher};

use super::gate::GitDirectory;
use crate::model::lfs_pointer::LfsPointer;
use redline_base::budget::check_current;
use redline_base::error::{Error, Result, quoted};
use redline_sandbox::RegularFile;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// A content, opened.
pub struct LfsObject {
    file: RegularFile,
    pointer: LfsPointer,
}

/// Opens the content of a pointer in the store of a repository: `lfs` in the directory of its
/// objects, or where `lfs.storage` says, unless that is outside of what may be read.
///
/// # Errors
/// `not_found` for a content that was not fetched.
pub fn open(common_dir: &GitDirectory, config: &File, pointer: LfsPointer) -> Result<LfsObject> {
    let storage = config.string("lfs.storage").filter(|path| !path.is_empty());
    let storage = common_dir.join(storage.as_deref().map_or(b"lfs".as_slice(), |path| path));
    let store = common_dir.gate().open_if_readable(&storage)?;
    let file = store.map(|store| store.open(pointer.path().as_bytes())).transpose()?.flatten();
    let file = file.ok_or_else(|| {
        Error::not_found(format!(
            "the content {} of Git LFS is not in the repository at {}",
            pointer.oid,
            quoted(common_dir.gate().given())
        ))
        .with_hint("Run 'git lfs fetch' there, or give lfs := false to read the pointer")
    })?;
    Ok(LfsObject { file, pointer })
}

impl LfsObject {
    /// Passes the content to `take`, piece by piece. It must not be used before this returns.
    ///
    /// # Errors
    /// `tool_failed` if its size or its SHA-256 is not that of the pointer; those of `take`.
    pub fn read(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let LfsPointer { oid, size } = &self.pointer;
        if self.file.stamp().size() != *size {
            return Err(self.damaged());
        }
        let (mut hash, mut piece, mut at) = (hasher(Kind::Sha256), vec![0; PIECE], 0);
        loop {
            check_current()?;
            let read = self.file.read_at(at, &mut piece).map_err(|error| {
                let oid = &self.pointer.oid;
                Error::tool_failed(format!("the content {oid} of Git LFS cannot be read"))
                    .with_hint("Check the disk and the system's log")
                    .with_source(error)
            })?;
            if read == 0 {
                break;
            }
            at += read as u64;
            if at > *size {
                return Err(self.damaged());
            }
            hash.update(&piece[..read]);
            take(&piece[..read])?;
        }
        let found = hash.try_finalize().map(|id| id.to_hex().to_string());
        if at == *size && found.is_ok_and(|found| found == *oid) {
            Ok(())
        } else {
            Err(self.damaged())
        }
    }

    fn damaged(&self) -> Error {
        let LfsPointer { oid, size } = &self.pointer;
        Error::tool_failed(format!(
            "the content {oid} of Git LFS is damaged: it should have {size} bytes and this SHA-256"
        ))
        .with_hint("Run 'git lfs fsck' and 'git lfs fetch' in the repository")
    }
}
