//! The pieces of packs that one thread has read recently.
//!
//! Entries that are read in sequence are in a few places: commits next to commits, trees next to
//! trees, each delta not far from its base. So several pieces are held, and a piece grows if the
//! bytes after it are needed.

use super::fault::Fault;
use super::file::PackFile;

/// The least number of bytes to read at once: most entries are smaller, and their neighbours are
/// often next.
const READ_BYTES: usize = 16 << 10;
/// The most bytes of a growing piece.
const PIECE_BYTES: usize = 64 << 10;
/// The most bytes of a piece that is kept.
const KEPT_BYTES: usize = 256 << 10;
/// Bytes to read at once if nothing nearby is needed next: a header and most deltas.
const SCATTERED_BYTES: usize = 1 << 10;
/// The number of held pieces.
const PIECES: usize = 16;
/// A piece begins at a multiple of this, and at least this far before the requested offset, as
/// bases are before their deltas.
const PAGE_BYTES: u64 = 4 << 10;

/// Where the next entry is likely to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nearby, as the entries of a chain.
    Near,
    /// Anywhere, as the sizes of objects sorted by path.
    Anywhere,
}

/// The pieces of packs that were read last.
#[derive(Default)]
pub struct Windows {
    pieces: Vec<Piece>,
    /// The number of requests.
    clock: u64,
}

struct Piece {
    /// The number of the pack, and the offset of the first byte.
    pack: u32,
    start: u64,
    /// The bytes that were read, and room after them.
    bytes: Vec<u8>,
    filled: usize,
    /// The time of the last request.
    used: u64,
}

impl Piece {
    /// Returns the position of an offset in the piece, or directly after it.
    fn position(&self, pack: &PackFile, offset: u64) -> Option<usize> {
        let position = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        (self.pack == pack.number && position <= self.filled).then_some(position)
    }

    /// Reads further until there are `length` bytes, and some more.
    fn fill(&mut self, pack: &PackFile, length: usize, next: Next) -> Result<(), Fault> {
        // A piece that grows is read sequentially.
        let ahead = match next {
            Next::Near => self.filled.clamp(READ_BYTES, PIECE_BYTES / 2),
            Next::Anywhere => SCATTERED_BYTES,
        };
        let next = self.start + self.filled as u64;
        let wanted = (length - self.filled).max(ahead).min(pack.left(next));
        let end = self.filled + wanted;
        let more = end.saturating_sub(self.bytes.len());
        self.bytes.try_reserve_exact(more).map_err(|_| Fault::NoMemory(end as u64))?;
        self.bytes.resize(end.max(self.bytes.len()), 0);
        pack.read(next, &mut self.bytes[self.filled..end])?;
        self.filled = end;
        Ok(())
    }
}

impl Windows {
    /// Returns up to `length` bytes of a pack from an offset on, fewer at the end of its entries.
    pub fn read(
        &mut self,
        pack: &PackFile,
        offset: u64,
        length: usize,
        next: Next,
    ) -> Result<&[u8], Fault> {
        self.clock += 1;
        let length = length.min(pack.left(offset));
        let mut growing = None;
        for (at, piece) in self.pieces.iter().enumerate() {
            let Some(position) = piece.position(pack, offset) else { continue };
            let end = position.saturating_add(length);
            if end <= piece.filled {
                let piece = &mut self.pieces[at];
                piece.used = self.clock;
                return Ok(&piece.bytes[position..end]);
            }
            if end <= PIECE_BYTES {
                growing = Some((at, position));
            }
        }
        let (at, position) = match growing {
            Some(found) => found,
            None => self.begin(pack, offset, next),
        };
        let piece = &mut self.pieces[at];
        piece.used = self.clock;
        piece.fill(pack, position + length, next)?;
        Ok(&piece.bytes[position..position + length])
    }

    /// Begins a piece at an offset or somewhat before it, and evicts the least recently used one;
    /// returns its index and the position of the offset in it.
    fn begin(&mut self, pack: &PackFile, offset: u64, next: Next) -> (usize, usize) {
        // The piece of a large entry is not kept for the next.
        self.pieces.retain(|piece| piece.bytes.len() <= KEPT_BYTES);
        let start = match next {
            Next::Near => offset.saturating_sub(PAGE_BYTES) / PAGE_BYTES * PAGE_BYTES,
            Next::Anywhere => offset,
        };
        let before = (offset - start) as usize;
        let piece = |bytes| Piece { pack: pack.number, start, bytes, filled: 0, used: 0 };
        if self.pieces.len() < PIECES {
            self.pieces.push(piece(Vec::new()));
            return (self.pieces.len() - 1, before);
        }
        let oldest = self.pieces.iter().enumerate().min_by_key(|(_, piece)| piece.used);
        let at = oldest.map_or(0, |(at, _)| at);
        let bytes = std::mem::take(&mut self.pieces[at].bytes);
        self.pieces[at] = piece(bytes);
        (at, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_sandbox::{Access, PooledFile};

    #[test]
    fn every_piece_of_a_pack_is_what_the_file_holds_there() {
        let temp = tempfile::tempdir().unwrap();
        let content: Vec<u8> =
            (0..1_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let pack = [&b"PACK\0\0\0\x02\0\0\0\0"[..], &content, &[5; 20]].concat();
        std::fs::write(temp.path().join("pack"), &pack).unwrap();
        let directory = Access::new(true, &[]).open_directory(temp.path()).unwrap();
        let opened = PackFile::new(0, PooledFile::open(&directory, b"pack").unwrap(), 20).unwrap();
        let end = pack.len() - 20;
        let mut windows = Windows::default();
        let mut state = 1u64;
        for step in 0..3000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = (state >> 33) as usize;
            // Far and near, small and large, up to the end and beyond.
            let offset =
                if step % 3 == 0 { random % end } else { (step * 97 + random % 3000) % end };
            let length = [42, 3000, 20_000, 300_000][random % 4];
            let next = [Next::Near, Next::Anywhere][random / 4 % 2];
            let read = windows.read(&opened, offset as u64, length, next).unwrap();
            assert!(read == &pack[offset..end.min(offset + length)], "{offset} {length}");
            let held: usize = windows.pieces.iter().map(|piece| piece.bytes.len()).sum();
            assert!(
                held <= PIECES * (PIECE_BYTES + KEPT_BYTES) && windows.pieces.len() <= PIECES,
                "{held}"
            );
        }
        assert!(windows.read(&opened, end as u64, 42, Next::Near).unwrap().is_empty());
        std::fs::write(temp.path().join("pack"), &pack[..5000]).unwrap();
        assert!(Windows::default().read(&opened, 6000, 42, Next::Near).is_err());
    }
}
