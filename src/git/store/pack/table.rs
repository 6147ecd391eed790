//! The bytes of a table in a file: read piece by piece at first, and whole once it is asked for often.

use std::io::ErrorKind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fault::Fault;
use crate::limits;
use crate::sandbox::{OpenError, PooledFile};

/// Pieces that are read before the whole table is, at least; and for how many bytes of it one more, as a call of the
/// system takes as long as copying these.
const PIECES: u64 = 64;
const PIECE_BYTES: u64 = 16 << 10;

/// Bytes of a table that is read at once: no more than some pieces, and its file is closed.
const SMALL_BYTES: u64 = 64 << 10;

/// A file whose bytes are asked for by offset.
pub struct Table {
    file: PooledFile,
    /// All bytes, once they were read; empty where they are too many to be kept.
    whole: OnceLock<Vec<u8>>,
    pieces: AtomicU32,
}

impl Table {
    /// Returns the table in a file.
    pub fn new(file: PooledFile) -> Self {
        Self { file, whole: OnceLock::new(), pieces: AtomicU32::new(0) }
    }

    /// Returns the bytes of the file.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Returns the file.
    pub fn file(&self) -> &PooledFile {
        &self.file
    }

    /// Returns the bytes that the table holds in memory.
    pub fn kept_bytes(&self) -> usize {
        self.whole.get().map_or(0, Vec::capacity)
    }

    /// Reads the bytes at an offset.
    ///
    /// # Errors
    /// [`Fault`] where the file ends before them, or was cut or replaced since it was opened.
    pub fn read<'b>(&'b self, offset: u64, bytes: &'b mut [u8]) -> Result<&'b [u8], Fault> {
        let end = offset.checked_add(bytes.len() as u64).ok_or(Fault::Damaged)?;
        if end > self.size() {
            return Err(Fault::Damaged);
        }
        if let Some(whole) = self.whole()? {
            // Within the size that the file had, which is what was read of it.
            return Ok(&whole[end as usize - bytes.len()..end as usize]);
        }
        let read = self.file.read_at(offset, bytes)?;
        if read < bytes.len() { Err(Fault::Changed) } else { Ok(bytes) }
    }

    /// Returns all bytes where they were read or are to be read now; none where they are too many.
    fn whole(&self) -> Result<Option<&[u8]>, Fault> {
        if let Some(whole) = self.whole.get() {
            return Ok((!whole.is_empty()).then_some(whole));
        }
        let pieces = u64::from(self.pieces.fetch_add(1, Ordering::Relaxed));
        if self.size() > SMALL_BYTES && pieces < PIECES + self.size() / PIECE_BYTES {
            return Ok(None);
        }
        let bytes = match self.file.read_all(limits::PACK_INDEX_BYTES) {
            Ok(bytes) if bytes.len() as u64 != self.size() => return Err(Fault::Changed),
            Ok(bytes) => bytes,
            // The pieces that are asked for take no memory.
            Err(OpenError::TooLarge { .. }) => Vec::new(),
            Err(OpenError::System(error)) if error.kind() == ErrorKind::OutOfMemory => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let whole = self.whole.get_or_init(|| bytes);
        if !whole.is_empty() {
            self.file.close();
        }
        Ok((!whole.is_empty()).then_some(whole))
    }
}
