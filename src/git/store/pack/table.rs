//! The bytes of a table in a file: read piece by piece at first, and whole once it is asked for often.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fault::Fault;
use crate::limits;
use crate::sandbox::RegularFile;

/// Pieces that are read before the whole table is, at least; and for how many bytes of it one more, as a call of the
/// system takes as long as copying these.
const PIECES: u64 = 64;
const PIECE_BYTES: u64 = 16 << 10;

/// A file whose bytes are asked for by offset.
pub struct Table {
    file: RegularFile,
    /// All bytes, once they were read; empty where they are too many to be kept.
    whole: OnceLock<Vec<u8>>,
    pieces: AtomicU32,
}

impl Table {
    /// Returns the table in a file.
    pub fn new(file: RegularFile) -> Self {
        Self { file, whole: OnceLock::new(), pieces: AtomicU32::new(0) }
    }

    /// Returns the bytes of the file.
    pub fn size(&self) -> u64 {
        self.file.stamp().size()
    }

    /// Returns the file.
    pub fn file(&self) -> &RegularFile {
        &self.file
    }

    /// Returns the bytes that the table holds in memory.
    pub fn kept_bytes(&self) -> usize {
        self.whole.get().map_or(0, Vec::capacity)
    }

    /// Reads the bytes at an offset.
    ///
    /// # Errors
    /// [`Fault`] where the file ends before them, or was written to since it was opened.
    pub fn read<'b>(&'b self, offset: u64, bytes: &'b mut [u8]) -> Result<&'b [u8], Fault> {
        let whole = match self.whole.get() {
            None if u64::from(self.pieces.fetch_add(1, Ordering::Relaxed))
                >= PIECES + self.size() / PIECE_BYTES =>
            {
                self.whole.get_or_init(|| self.read_whole())
            }
            None => &[][..],
            Some(whole) => whole,
        };
        if !whole.is_empty() {
            let start = usize::try_from(offset).map_err(|_| Fault::Damaged)?;
            return whole
                .get(start..)
                .and_then(|rest| rest.get(..bytes.len()))
                .ok_or(Fault::Damaged);
        }
        let read = self.file.read_at(offset, bytes).map_err(Fault::System)?;
        if !self.file.is_unchanged() {
            return Err(Fault::Changed);
        }
        if read < bytes.len() { Err(Fault::Damaged) } else { Ok(bytes) }
    }

    /// Returns all bytes; none where they are too many, or were written to meanwhile.
    fn read_whole(&self) -> Vec<u8> {
        let bytes = self.file.read_all(limits::PACK_INDEX_BYTES).unwrap_or_default();
        if bytes.len() as u64 == self.size() && self.file.is_unchanged() {
            bytes
        } else {
            Vec::new()
        }
    }
}
