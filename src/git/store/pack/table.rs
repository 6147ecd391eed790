//! The bytes of a table in a file: read page by page, each page once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fault::Fault;
use redline_base::limits;
use redline_sandbox::PooledFile;

/// Bytes of a page. A few objects need a few pages of a table of megabytes, and many need each page
/// once.
const PAGE_BYTES: u64 = 4 << 10;

/// Bytes of a table that is one page: it is read at once, and its file is closed.
const SMALL_BYTES: u64 = 64 << 10;

/// A file that is read by offset.
pub struct Table {
    /// The file.
    pub file: PooledFile,
    page_bytes: u64,
    /// The pages that were read; none where the table is too large for its pages to be kept.
    pages: Vec<OnceLock<Box<[u8]>>>,
    kept_bytes: AtomicUsize,
}

impl Table {
    /// Returns the table in a file.
    pub fn new(file: PooledFile) -> Self {
        let size = file.size();
        let page_bytes = if size <= SMALL_BYTES { SMALL_BYTES } else { PAGE_BYTES };
        let mut pages = Vec::new();
        let count = size.div_ceil(page_bytes) as usize;
        // Requests without pages take no memory.
        if size <= limits::PACK_INDEX_BYTES && pages.try_reserve_exact(count).is_ok() {
            pages.resize_with(count, OnceLock::new);
        }
        let kept_bytes = AtomicUsize::new(pages.capacity() * size_of::<OnceLock<Box<[u8]>>>());
        Self { file, page_bytes, pages, kept_bytes }
    }

    /// Returns the bytes of the file.
    pub fn size(&self) -> u64 {
        self.file.size()
    }

    /// Returns the bytes held in memory.
    pub fn kept_bytes(&self) -> usize {
        self.kept_bytes.load(Ordering::Relaxed)
    }

    /// Reads the bytes at an offset.
    ///
    /// # Errors
    /// [`Fault`] if the file ends before them, or was truncated or replaced since it was opened.
    pub fn read<'b>(&'b self, offset: u64, bytes: &'b mut [u8]) -> Result<&'b [u8], Fault> {
        let length = bytes.len();
        let end = offset.checked_add(length as u64).ok_or(Fault::Damaged)?;
        if end > self.size() {
            return Err(Fault::Damaged);
        }
        let mut filled = 0;
        while filled < length {
            let at = offset + filled as u64;
            let Some(page) = self.page((at / self.page_bytes) as usize)? else {
                self.read_file(at, &mut bytes[filled..])?;
                break;
            };
            let rest = &page[(at % self.page_bytes) as usize..];
            if filled == 0 && length <= rest.len() {
                return Ok(&rest[..length]);
            }
            // Bytes on several pages are put together.
            let piece = rest.len().min(length - filled);
            bytes[filled..filled + piece].copy_from_slice(&rest[..piece]);
            filled += piece;
        }
        Ok(bytes)
    }

    /// Returns a page, `None` where it cannot be kept.
    fn page(&self, place: usize) -> Result<Option<&[u8]>, Fault> {
        let Some(page) = self.pages.get(place) else { return Ok(None) };
        if let Some(bytes) = page.get() {
            return Ok(Some(bytes));
        }
        let offset = place as u64 * self.page_bytes;
        let size = self.page_bytes.min(self.size() - offset) as usize;
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(size).is_err() {
            return Ok(None);
        }
        bytes.resize(size, 0);
        self.read_file(offset, &mut bytes)?;
        let bytes = page.get_or_init(|| {
            self.kept_bytes.fetch_add(size, Ordering::Relaxed);
            bytes.into_boxed_slice()
        });
        if self.pages.len() == 1 {
            self.file.close();
        }
        Ok(Some(bytes))
    }

    fn read_file(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        let read = self.file.read_at(offset, bytes)?;
        if read < bytes.len() { Err(Fault::Changed) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_sandbox::Access;

    #[test]
    fn every_piece_of_a_table_is_what_the_file_holds_there() {
        let temp = tempfile::tempdir().unwrap();
        let directory = Access::new(true, &[]).open_directory(temp.path()).unwrap();
        for size in [0, 1, SMALL_BYTES as usize, SMALL_BYTES as usize + 1, 300_001] {
            let content: Vec<u8> = (0..size).map(|n| (n * 31 % 251) as u8).collect();
            std::fs::write(temp.path().join("idx"), &content).unwrap();
            let table = Table::new(PooledFile::open(&directory, b"idx").unwrap());
            for at in (0..size).step_by(997).chain([size.saturating_sub(20), size]) {
                for length in [0, 4, 20, 9000].map(|length: usize| length.min(size - at)) {
                    let mut bytes = vec![0; length];
                    let read = table.read(at as u64, &mut bytes).unwrap();
                    assert!(read == &content[at..at + length], "{size} {at} {length}");
                }
            }
            assert!(table.kept_bytes() <= size + (size / 4096 + 2) * 24);
            assert!(table.read(size as u64, &mut [0]).is_err());
            assert!(table.read(u64::MAX, &mut [0]).is_err());
        }
        let table = Table::new(PooledFile::open(&directory, b"idx").unwrap());
        std::fs::write(temp.path().join("idx"), "cut").unwrap();
        assert!(matches!(table.read(5000, &mut [0]), Err(Fault::Changed)));
    }
}
