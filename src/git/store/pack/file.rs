//! The file of a pack.

use super::fault::Fault;
use crate::sandbox::{RegularFile, Stamp};

/// Bytes before the first entry.
pub const HEAD_BYTES: u64 = 12;

/// The file of a pack, which is still the one that was opened.
pub struct PackFile {
    /// By which caches and windows know it; no other pack of the process has had it.
    number: u32,
    data: RegularFile,
    /// Where the entries end.
    end: u64,
}

impl PackFile {
    /// Returns a file that ends in a checksum of so many bytes.
    pub fn new(number: u32, data: RegularFile, checksum: usize) -> Result<Self, Fault> {
        let size = data.stamp().size();
        let end = size
            .checked_sub(checksum as u64)
            .filter(|&end| end >= HEAD_BYTES)
            .ok_or(Fault::Damaged)?;
        Ok(Self { number, data, end })
    }

    /// Returns the number that caches know the pack by.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns where the entries end.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns the state of the file when it was opened.
    pub fn stamp(&self) -> Stamp {
        self.data.stamp()
    }

    /// Returns up to how many bytes of entries there are from an offset on.
    pub fn left(&self, offset: u64) -> usize {
        usize::try_from(self.end.saturating_sub(offset)).unwrap_or(usize::MAX)
    }

    /// Fills `bytes` from an offset on.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let read = self.data.read_at(offset, bytes).map_err(Fault::System)?;
        match self.data.is_unchanged() {
            false => Err(Fault::Changed),
            true if read < bytes.len() => Err(Fault::Damaged),
            true => Ok(()),
        }
    }
}
