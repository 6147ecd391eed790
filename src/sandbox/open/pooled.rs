//! Files that are closed when handles are scarce, and opened again when they are read.

use std::fs::File;
use std::sync::Arc;

use crate::open::directory::{Directory, OpenError, read_at};
use crate::open::handles::{self, Slot, lock};
use crate::open::state::Stamp;

/// A regular file that is never rewritten, for example one named by its checksum. It stays the file
/// that was opened first: another one that has taken its name is [`OpenError::Absent`].
#[derive(Debug)]
pub struct PooledFile {
    directory: Directory,
    name: Vec<u8>,
    stamp: Stamp,
    slot: Arc<Slot>,
}

impl PooledFile {
    /// Opens the regular file at a name of a directory.
    pub fn open(directory: &Directory, name: &[u8]) -> Result<Self, OpenError> {
        let file = directory.file(name)?;
        let stamp = file.stamp();
        let slot = Arc::new(Slot::new(Some(Arc::new(file.into_file()))));
        handles::count(&slot);
        Ok(Self { directory: directory.clone(), name: name.to_vec(), stamp, slot })
    }

    /// Returns the stamp of the file when it was first opened.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Returns the file's size in bytes.
    pub fn size(&self) -> u64 {
        self.stamp.size()
    }

    /// Reads at an offset until `bytes` is full or the file ends; returns how many bytes were read.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<usize, OpenError> {
        let file = self.opened()?;
        Ok(read_at(&file, offset, bytes)?)
    }

    /// Closes the file until it is read next.
    pub fn close(&self) {
        drop(lock(&self.slot).take());
    }

    fn opened(&self) -> Result<Arc<File>, OpenError> {
        if let Some(file) = &*lock(&self.slot) {
            return Ok(Arc::clone(file));
        }
        // Two threads that open it at once read the same file, and one handle stays.
        let file = self.directory.file(&self.name)?;
        if file.stamp().without_times() != self.stamp.without_times() {
            return Err(OpenError::Absent);
        }
        let file = Arc::new(file.into_file());
        *lock(&self.slot) = Some(Arc::clone(&file));
        handles::count(&self.slot);
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;
    use redline_base::limits;
    use std::fs;

    #[test]
    fn a_file_that_was_closed_is_read_again_while_it_is_the_same_one() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("pack");
        fs::write(&path, "abcdef").unwrap();
        let directory = Access::new(true, &[]).open_directory(temp.path()).unwrap();
        let file = PooledFile::open(&directory, b"pack").unwrap();
        let read = || {
            file.close();
            let mut bytes = [0; 3];
            file.read_at(2, &mut bytes).map(|_| bytes)
        };
        assert_eq!(read().unwrap(), *b"cde");
        // Neither links nor times change its identity.
        fs::hard_link(&path, temp.path().join("link")).unwrap();
        let written = fs::File::options().append(true).open(&path).unwrap();
        written.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        drop(written);
        assert_eq!(read().unwrap(), *b"cde");
        fs::write(temp.path().join("new"), "ABCDEF").unwrap();
        // Windows replaces no file that is open.
        file.close();
        fs::rename(temp.path().join("new"), &path).unwrap();
        assert!(matches!(read(), Err(OpenError::Absent)));
        fs::remove_file(&path).unwrap();
        assert!(matches!(read(), Err(OpenError::Absent)));
    }

    // Promise (survival): A clone of hundreds of packs leaves the process its handles. With
    // `test_many_packs_leave_the_process_its_handles`.
    #[test]
    fn no_more_files_stay_open_than_the_limit_says() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("pack"), "abc").unwrap();
        let directory = Access::new(true, &[]).open_directory(temp.path()).unwrap();
        let files: Vec<_> = (0..2 * limits::POOLED_HANDLES)
            .map(|_| PooledFile::open(&directory, b"pack").unwrap())
            .collect();
        let open = files.iter().filter(|file| lock(&file.slot).is_some()).count();
        assert!((1..=limits::POOLED_HANDLES).contains(&open), "{open}");
        for file in &files {
            let mut bytes = [0; 4];
            assert_eq!(file.read_at(0, &mut bytes).unwrap(), 3);
            assert_eq!(&bytes[..3], b"abc");
        }
    }
}
