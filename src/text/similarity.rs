//! Estimates how much of one file occurs in another, as git does.
//!
//! A content is cut into pieces: a line with its newline, or 64 bytes of a longer line. The bytes
//! of a piece are counted under a number below 107,927, a hash of its content; its position does
//! not matter. The common content of two files is the sum, over all numbers, of the smaller of both
//! counts. The numbers, and so the percentages of `git diff -M`, are tested against git.

use super::cancel_token::{CancelToken, PacedToken, Stopped, refill};
use redline_base::budget::{Gather, Grow, filled, room_for};

/// Bytes after which a piece ends even inside a line.
const PIECE_BYTES: usize = 64;

/// The number of different hashes of pieces.
const NUMBERS: u32 = 107_927;

/// The factor of the high half of a piece's state in its number.
const HIGH_FACTOR: u32 = 97;

/// Bytes of content above which counting in a table of all numbers is faster than sorting the
/// pieces.
const TABLE_FROM: usize = 512 << 10;

/// Bytes that are cut between two checks of the budget.
const BLOCK_BYTES: usize = 64 << 10;

/// The pieces of a file's content with their sizes, to estimate what one file took from another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// One for each number that occurs, ascending.
    weights: Box<[Weight]>,
}

/// The total bytes of all pieces with one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Weight {
    number: u32,
    bytes: u32,
}

impl Fingerprint {
    /// Computes the fingerprint of `bytes`; in a text, the carriage return of a CRLF does not
    /// count.
    ///
    /// # Errors
    /// [`Stopped`] when `cancel` asks for it; it is checked every 64 KiB.
    pub fn new(bytes: &[u8], is_text: bool, cancel: &CancelToken<'_>) -> Result<Self, Stopped> {
        if bytes.len() < TABLE_FROM {
            // A guess at the length of lines; the vector grows if they are shorter.
            let mut pieces = room_for(bytes.len() / 24 + 1);
            cut(bytes, is_text, cancel, |number, bytes| pieces.add(Weight { number, bytes }))?;
            pieces.sort_unstable_by_key(|piece| piece.number);
            pieces.dedup_by(|next, kept| {
                let is_same = next.number == kept.number;
                if is_same {
                    kept.bytes += next.bytes;
                }
                is_same
            });
            return Ok(Self { weights: pieces.into_boxed_slice() });
        }
        let mut table = filled(0u32, NUMBERS as usize);
        cut(bytes, is_text, cancel, |number, bytes| {
            let sum = &mut table[number as usize];
            *sum = sum.saturating_add(bytes);
        })?;
        let weights = (0..).zip(&table).filter(|&(_, &bytes)| bytes > 0);
        let weights: Vec<Weight> =
            weights.map(|(number, &bytes)| Weight { number, bytes }).gather();
        Ok(Self { weights: weights.into_boxed_slice() })
    }

    /// Returns how many bytes of `old` occur in `new`.
    #[must_use]
    pub fn copied(old: &Self, new: &Self) -> u64 {
        let mut news = new.weights.iter().peekable();
        let mut copied = 0;
        for piece in &old.weights {
            while news.next_if(|new| new.number < piece.number).is_some() {}
            if let Some(same) = news.next_if(|new| new.number == piece.number) {
                copied += u64::from(piece.bytes.min(same.bytes));
            }
        }
        copied
    }

    /// Returns the number of different pieces: the steps of a comparison.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.weights.len()
    }

    /// Returns its size in memory, beside and in an index; at most 2,158,540 bytes, however large
    /// the file.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.pieces() * (size_of::<Weight>() + size_of::<Occurrence>())
    }
}

/// Where the pieces of many old files occur, to compare a new file with all of them at once: only
/// what they have in common is visited.
#[derive(Debug)]
pub struct FingerprintIndex {
    /// Where the occurrences of each range of numbers begin, and the end of the last.
    starts: Box<[u32]>,
    /// The width of a range of numbers, as a power of two.
    shift: u32,
    occurrences: Box<[Occurrence]>,
    /// The number of files.
    files: usize,
}

/// The total bytes of all pieces with one number in one file.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrence {
    number: u32,
    bytes: u32,
    /// The position of the file.
    file: u32,
}

impl FingerprintIndex {
    /// Creates the index of some files, less than 2^32 with less than 2^32 pieces in total.
    #[must_use]
    pub fn new(files: &[Fingerprint]) -> Self {
        let pieces = files.iter().map(Fingerprint::pieces).sum::<usize>();
        // As many ranges as pieces, so that an index of few files is made as fast as it is small.
        let shift = (NUMBERS as usize / pieces.max(1)).checked_ilog2().map_or(0, |log| log + 1);
        // Each start is first the end of the range before, then that of its own; then, as its range
        // is filled from the end, its start.
        let mut starts = filled(0u32, (NUMBERS >> shift) as usize + 2).into_boxed_slice();
        for weight in files.iter().flat_map(|file| &file.weights) {
            starts[(weight.number >> shift) as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut occurrences = filled(Occurrence::default(), pieces).into_boxed_slice();
        for (file, print) in (0..).zip(files) {
            for &Weight { number, bytes } in &print.weights {
                let start = &mut starts[(number >> shift) as usize];
                *start -= 1;
                occurrences[*start as usize] = Occurrence { number, bytes, file };
            }
        }
        Self { starts, shift, occurrences, files: files.len() }
    }

    /// Replaces `copied` by how many bytes of each file occur in `new`.
    ///
    /// # Errors
    /// [`Stopped`] when `pace` asks for it.
    pub fn copied(
        &self,
        new: &Fingerprint,
        copied: &mut Vec<u64>,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        refill(copied, self.files, 0)?;
        for weight in &new.weights {
            let range = (weight.number >> self.shift) as usize;
            let (start, end) = (self.starts[range] as usize, self.starts[range + 1] as usize);
            pace.spend(end - start + 1)?;
            for old in &self.occurrences[start..end] {
                if old.number == weight.number {
                    copied[old.file as usize] += u64::from(old.bytes.min(weight.bytes));
                }
            }
        }
        Ok(())
    }
}

/// Calls `found` with the number and the length of each piece.
fn cut(
    bytes: &[u8],
    is_text: bool,
    cancel: &CancelToken<'_>,
    mut found: impl FnMut(u32, u32),
) -> Result<(), Stopped> {
    let (mut rest, mut unchecked) = (bytes, BLOCK_BYTES);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, others) = rest.split_at(end);
        rest = others;
        let (line, newline) = match line.strip_suffix(b"\r\n") {
            Some(line) if is_text => (line, Some(&b"\n"[..])),
            _ => (line, None),
        };
        let mut piece = Piece::default();
        for part in line.chunks(PIECE_BYTES).chain(newline) {
            if piece.bytes as usize == PIECE_BYTES {
                found(piece.number(), piece.bytes);
                piece = Piece::default();
            }
            piece.add(part);
            unchecked += part.len();
            if unchecked >= BLOCK_BYTES {
                cancel.check()?;
                unchecked = 0;
            }
        }
        found(piece.number(), piece.bytes);
    }
    Ok(())
}

/// A piece that is being read.
#[derive(Default)]
struct Piece {
    /// Two halves that rotate as one; bytes are added to the low half, without a carry into the
    /// high one.
    state: u64,
    bytes: u32,
}

impl Piece {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let turned = self.state.rotate_left(7);
            let low = (turned as u32).wrapping_add(u32::from(byte));
            self.state = (turned >> 32) << 32 | u64::from(low);
        }
        self.bytes += bytes.len() as u32;
    }

    fn number(&self) -> u32 {
        let high = (self.state >> 32) as u32;
        (self.state as u32).wrapping_add(high.wrapping_mul(HIGH_FACTOR)) % NUMBERS
    }
}

#[cfg(test)]
mod tests {
    use redline_base::budget::Budget;

    use super::*;

    fn print(bytes: &[u8], is_text: bool) -> Fingerprint {
        Fingerprint::new(bytes, is_text, &CancelToken::never()).unwrap()
    }

    fn copied(old: &[u8], new: &[u8]) -> u64 {
        let (old, new) = (print(old, true), print(new, true));
        let copied = Fingerprint::copied(&old, &new);
        let other = print(b"something\nin another file\n", true);
        let files = [other, old.clone(), Fingerprint::default(), old, new.clone()];
        let index = FingerprintIndex::new(&files);
        let (cancel, mut found) = (CancelToken::never(), vec![7]);
        index.copied(&new, &mut found, &mut cancel.pace()).unwrap();
        assert_eq!(found, files.map(|file| Fingerprint::copied(&file, &new)));
        copied
    }

    #[test]
    fn lines_are_found_wherever_they_stand() {
        assert_eq!(copied(b"a\nbb\nccc\n", b"ccc\na\nbb\n"), 9);
        assert_eq!(copied(b"a\na\na\n", b"a\n"), 2);
        assert_eq!(copied(b"a\n", b"a\na\na\n"), 2);
        assert_eq!(copied(b"", b"a\n"), 0);
    }

    #[test]
    fn a_last_line_counts_without_its_newline_too() {
        assert_eq!(copied(b"a\nlast", b"b\nlast"), 4);
        assert_eq!(copied(b"last\n", b"last"), 0);
    }

    #[test]
    fn a_long_line_is_cut_every_64_bytes() {
        let line = vec![b'x'; 130];
        assert_eq!(print(&line, true).pieces(), 2);
        let other = [&line[..64], b"different end of the line\n"].concat();
        assert_eq!(copied(&line, &other), 64);
    }

    #[test]
    fn a_carriage_return_counts_only_in_a_binary_or_alone() {
        assert_eq!(print(b"a\r\nb\r\n", true), print(b"a\nb\n", true));
        assert_ne!(print(b"a\r\nb\r\n", false), print(b"a\nb\n", false));
        assert_ne!(print(b"a\rb", true), print(b"ab", true));
        assert_ne!(print(b"ab\r", true), print(b"ab", true));
    }

    #[test]
    fn large_contents_are_counted_like_small_ones() {
        let small: Vec<u8> =
            (0..20_000u32).flat_map(|n| format!("line {}\r\n", n % 7000).into_bytes()).collect();
        let times = TABLE_FROM / small.len() + 2;
        let (one, many) = (print(&small, true), print(&small.repeat(times), true));
        assert_eq!(one.pieces(), many.pieces());
        for (one, many) in one.weights.iter().zip(&many.weights) {
            assert_eq!((one.number, one.bytes * times as u32), (many.number, many.bytes));
        }
    }

    #[test]
    fn an_index_of_many_files_finds_what_each_pair_has_in_common() {
        let text = |file: u32| {
            let line =
                |line: u32| format!("line {}\n", line.wrapping_mul(file) % 5000).into_bytes();
            print(&(0..file % 700).flat_map(line).collect::<Vec<u8>>(), true)
        };
        for count in [1, 3, 40, 400] {
            let files: Vec<_> = (1..=count).map(text).collect();
            let index = FingerprintIndex::new(&files);
            let (cancel, mut found) = (CancelToken::never(), Vec::new());
            for new in [text(350), text(1), text(699)] {
                index.copied(&new, &mut found, &mut cancel.pace()).unwrap();
                let each = files.iter().map(|old| Fingerprint::copied(old, &new));
                assert_eq!(found, each.collect::<Vec<_>>(), "{count}");
            }
        }
        let none = FingerprintIndex::new(&[]);
        none.copied(&text(9), &mut Vec::new(), &mut CancelToken::never().pace()).unwrap();
    }

    #[test]
    fn it_stops_when_asked() {
        let budget = Budget::default();
        budget.cancel();
        let large = print(
            &(0..90_000).flat_map(|n| format!("{n}\n").into_bytes()).collect::<Vec<_>>(),
            true,
        );
        let index = FingerprintIndex::new(std::slice::from_ref(&large));
        let copied = index.copied(&large, &mut Vec::new(), &mut CancelToken::of(&budget).pace());
        assert_eq!(copied, Err(Stopped::Cancelled));
        assert_eq!(
            Fingerprint::new(b"text", true, &CancelToken::of(&budget)),
            Err(Stopped::Cancelled)
        );
    }
}
