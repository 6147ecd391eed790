//! What is needed of the files of one side to give their contents to other readers.

use std::path::PathBuf;

use crate::change::differences::changed_files;
use crate::change::side_files::{ReadLimit, SideFiles};
use crate::model::changed_file::Entry;
use crate::model::lfs_pointer::LfsPointer;
use crate::pathspec::Pathspec;
use crate::revision::Revision;
use crate::store::{LfsObject, lfs_object};
use redline_base::budget::Grow;
use redline_base::error::{Error, Result};
use redline_base::limits;

impl SideFiles {
    /// Returns the regular files that some pathspecs select, in git's order.
    ///
    /// # Errors
    /// `too_large` for more than [`limits::COPIES`]; those of [`Self::find`].
    pub fn files(&mut self, specs: &[Pathspec]) -> Result<Vec<(Vec<u8>, Entry)>> {
        let comparison = self.comparison.clone().with_paths(specs)?;
        let mut found = Vec::new();
        for change in changed_files(&comparison, None)? {
            let change = change?;
            // A conflict in the index has no entry of its own.
            let entry = match (change.new, self.side()) {
                (None, Revision::Index) | (_, Revision::WorkTree) => self.find(&change.path)?,
                (entry, _) => entry,
            };
            let Some(entry) = entry.filter(|entry| entry.mode.is_regular()) else { continue };
            if found.len() == limits::COPIES {
                return Err(Error::too_large(format!(
                    "the pathspec selects over {} files",
                    limits::COPIES
                ))
                .with_hint("Ask for fewer files"));
            }
            if found.last().is_none_or(|(path, _)| *path != change.path) {
                found.add((change.path, entry));
            }
        }
        Ok(found)
    }

    /// Returns the bytes of a file that was found.
    pub fn size(&self, entry: Entry) -> Result<u64> {
        Ok(self.reader.size(Some(entry))?.unwrap_or(0))
    }

    /// Returns the path on disk of a file of the work tree, if its content there is what git would
    /// store.
    pub fn own_path(&mut self, path: &[u8], entry: Entry) -> Result<Option<PathBuf>> {
        if self.side() != Revision::WorkTree || !entry.mode.is_regular() {
            return Ok(None);
        }
        let size = self.size(entry)?;
        self.reader.unconverted(path, size)
    }

    /// Returns the pointer of Git LFS that a file is, if it is one.
    pub fn lfs_pointer(&mut self, path: &[u8], entry: Entry) -> Result<Option<LfsPointer>> {
        if !entry.mode.is_regular() || self.size(entry)? > limits::LFS_POINTER_BYTES {
            return Ok(None);
        }
        Ok(LfsPointer::parse(&self.read(path, entry, ReadLimit::OBJECT)?))
    }

    /// Opens the content of a pointer.
    ///
    /// # Errors
    /// `not_found` for a content that was not fetched.
    pub fn lfs_object(&self, pointer: LfsPointer) -> Result<LfsObject> {
        let repository = self.comparison.repository();
        lfs_object(&repository.location.common_dir, &repository.config, pointer)
    }
}
