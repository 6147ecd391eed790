//! The file of a pack, which git writes once: its name is its checksum. Its times and link count
//! may change, for example when an object is added that it contains, or when it is cloned.

use super::fault::Fault;
use redline_base::budget::check_current;
use redline_sandbox::{PooledFile, Stamp};

/// Bytes before the first entry.
pub const HEAD_BYTES: u64 = 12;

/// Bytes that are read between two checks of the budget.
const STEP_BYTES: usize = 16 << 20;

/// The file of a pack.
pub struct PackFile {
    /// The key in caches and windows, unique in the process.
    pub number: u32,
    data: PooledFile,
    /// The end of the entries.
    pub end: u64,
}

impl PackFile {
    /// Returns a file that ends in a checksum of `checksum` bytes.
    pub fn new(number: u32, data: PooledFile, checksum: usize) -> Result<Self, Fault> {
        let size = data.stamp().size();
        let end = size
            .checked_sub(checksum as u64)
            .filter(|&end| end >= HEAD_BYTES)
            .ok_or(Fault::Damaged)?;
        Ok(Self { number, data, end })
    }

    /// Returns the stamp of the file when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.data.stamp()
    }

    /// Returns the number of bytes of entries from an offset on.
    pub fn left(&self, offset: u64) -> usize {
        usize::try_from(self.end.saturating_sub(offset)).unwrap_or(usize::MAX)
    }

    /// Fills `bytes` from an offset on.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        // Every read is within the size that the file had when it was opened.
        for (step, bytes) in bytes.chunks_mut(STEP_BYTES).enumerate() {
            check_current()?;
            let read = self.data.read_at(offset + (step * STEP_BYTES) as u64, bytes)?;
            if read < bytes.len() {
                return Err(Fault::Changed);
            }
        }
        Ok(())
    }
}
