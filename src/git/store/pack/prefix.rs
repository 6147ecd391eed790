//! The first bytes of a zlib stream, without building full decoding tables.
//!
//! Canonical Huffman codes are read bit by bit, as RFC 1951 defines them: for some bytes that takes
//! less time than filling a table of all codes. What this does not read, such as a damaged stream,
//! falls back to full inflation.

use std::sync::LazyLock;

/// Bytes of a stream that tell its first bytes, whatever its codes are: a block's head and some
/// symbols.
pub const PACKED_BYTES: usize = 700;

/// The longest code, in bits, and the most symbols of a code.
const MAX_BITS: usize = 15;
const MAX_SYMBOLS: usize = 288;

/// The order in which the lengths of the codes for code lengths are stored.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Fills `room` with the first bytes of a zlib stream; `None` where it has fewer, or is left to
/// another.
pub fn inflate_prefix(packed: &[u8], room: &mut [u8]) -> Option<()> {
    let mut bits = Bits { bytes: packed, held: 0, count: 0 };
    let (method, flags) = (bits.take(8)?, bits.take(8)?);
    let is_zlib = method & 0xf == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0;
    if !is_zlib || flags & 0x20 != 0 {
        return None;
    }
    let mut filled = 0;
    while filled < room.len() {
        let is_last = bits.take(1)? == 1;
        filled = match bits.take(2)? {
            1 => compressed(&mut bits, FIXED.as_ref()?, room, filled)?,
            2 => {
                let codes = Codes::read(&mut bits)?;
                compressed(&mut bits, &codes, room, filled)?
            }
            _ => return None,
        };
        if is_last {
            break;
        }
    }
    (filled == room.len()).then_some(())
}

/// Appends what a compressed block holds, until `room` is full; returns how much of it is.
fn compressed(bits: &mut Bits<'_>, codes: &Codes, room: &mut [u8], start: usize) -> Option<usize> {
    let mut filled = start;
    while filled < room.len() {
        match usize::from(codes.literals.next(bits)?) {
            literal @ 0..256 => {
                room[filled] = literal as u8;
                filled += 1;
            }
            256 => break,
            symbol => {
                let length = length(bits, symbol as u32 - 257)?;
                let distance = distance(bits, &codes.distances)?;
                let from = filled.checked_sub(distance)?;
                for at in from..(from + length).min(room.len() - distance) {
                    room[filled] = room[at];
                    filled += 1;
                }
            }
        }
    }
    Some(filled)
}

/// Reads the length of a copy; the symbol gives most of it.
fn length(bits: &mut Bits<'_>, symbol: u32) -> Option<usize> {
    match symbol {
        0..8 => Some(symbol as usize + 3),
        8..28 => {
            let more = symbol / 4 - 1;
            Some((((4 + symbol % 4) << more) + bits.take(more)? + 3) as usize)
        }
        28 => Some(258),
        _ => None,
    }
}

/// Reads how far back a copy begins.
fn distance(bits: &mut Bits<'_>, code: &Code) -> Option<usize> {
    let symbol = u32::from(code.next(bits)?);
    match symbol {
        0..4 => Some(symbol as usize + 1),
        4..30 => {
            let more = symbol / 2 - 1;
            Some((((2 + symbol % 2) << more) + bits.take(more)? + 1) as usize)
        }
        _ => None,
    }
}

/// The codes of a block that brings none.
static FIXED: LazyLock<Option<Codes>> = LazyLock::new(|| {
    let mut lengths = [8; MAX_SYMBOLS];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Some(Codes { literals: Code::new(&lengths)?, distances: Code::new(&[5; 32])? })
});

/// The codes of a block.
struct Codes {
    literals: Code,
    distances: Code,
}

impl Codes {
    /// Reads those at the head of a block.
    fn read(bits: &mut Bits<'_>) -> Option<Self> {
        let (literals, distances) = (bits.take(5)? as usize + 257, bits.take(5)? as usize + 1);
        let used = bits.take(4)? as usize + 4;
        let mut of_lengths = [0; 19];
        for &place in &ORDER[..used] {
            of_lengths[place] = bits.take(3)? as u8;
        }
        let of_lengths = Code::new(&of_lengths)?;
        let mut lengths = [0; 320];
        let lengths = &mut lengths[..literals + distances];
        let mut at = 0;
        while at < lengths.len() {
            let (length, count) = match of_lengths.next(bits)? {
                length @ 0..16 => (length as u8, 1),
                16 => (lengths[at.checked_sub(1)?], bits.take(2)? + 3),
                17 => (0, bits.take(3)? + 3),
                _ => (0, bits.take(7)? + 11),
            };
            lengths.get_mut(at..at + count as usize)?.fill(length);
            at += count as usize;
        }
        let (literals, distances) = lengths.split_at(literals);
        Some(Self { literals: Code::new(literals)?, distances: Code::new(distances)? })
    }
}

/// A canonical Huffman code: how many symbols have codes of each length, and the symbols in the
/// order of their codes.
struct Code {
    counts: [u16; MAX_BITS + 1],
    symbols: [u16; MAX_SYMBOLS],
}

impl Code {
    /// Returns the code of symbols whose codes have these lengths, `None` where these are more than
    /// there can be.
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut counts = [0; MAX_BITS + 1];
        lengths.iter().for_each(|&length| counts[usize::from(length)] += 1);
        counts[0] = 0;
        let (mut left, mut starts) = (1i32, [0; MAX_BITS + 2]);
        for length in 1..=MAX_BITS {
            left = 2 * left - i32::from(counts[length]);
            if left < 0 {
                return None;
            }
            starts[length + 1] = starts[length] + counts[length];
        }
        let mut symbols = [0; MAX_SYMBOLS];
        for (symbol, &length) in lengths.iter().enumerate().filter(|&(_, &length)| length > 0) {
            let start = &mut starts[usize::from(length)];
            symbols[usize::from(*start)] = symbol as u16;
            *start += 1;
        }
        Some(Self { counts, symbols })
    }

    /// Reads the next symbol.
    #[inline]
    fn next(&self, bits: &mut Bits<'_>) -> Option<u16> {
        bits.fill();
        let (mut code, mut first, mut start) = (0, 0, 0);
        for length in 1..=MAX_BITS {
            code |= (bits.held >> (length - 1) & 1) as u32;
            let count = u32::from(self.counts[length]);
            if code < first + count {
                bits.skip(length as u32)?;
                return Some(self.symbols[(start + code - first) as usize]);
            }
            start += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// Bits of a stream, the lowest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// Holds more than any symbol has, as far as there are any.
    #[inline]
    fn fill(&mut self) {
        while self.count <= 32 {
            let Some((&byte, rest)) = self.bytes.split_first() else { break };
            self.held |= u64::from(byte) << self.count;
            self.count += 8;
            self.bytes = rest;
        }
    }

    /// Reads a number of up to 16 bits.
    #[inline]
    fn take(&mut self, count: u32) -> Option<u32> {
        self.fill();
        let number = (self.held & ((1 << count) - 1)) as u32;
        self.skip(count)?;
        Some(number)
    }

    #[inline]
    fn skip(&mut self, count: u32) -> Option<()> {
        self.count = self.count.checked_sub(count)?;
        self.held >>= count;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::inflate::tests::packed;

    /// Contents of all kinds: few and many symbols, repeats near and far, short and long.
    fn contents() -> impl Iterator<Item = Vec<u8>> {
        let mut state = 1u64;
        (0..400usize).map(move |n| {
            let (size, symbols) = ([3, 20, 90, 700, 9000][n % 5], [1, 2, 9, 60, 256][n / 5 % 5]);
            let mut content: Vec<u8> = Vec::new();
            while content.len() < size {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let random = (state >> 33) as usize;
                if n / 25 % 2 == 1 && content.len() > 8 && random.is_multiple_of(3) {
                    let from = random / 3 % (content.len() - 4);
                    content.extend_from_within(from..from + 4);
                }
                content.push((random / 7 % symbols * 255 / symbols) as u8);
            }
            content
        })
    }

    #[test]
    fn the_first_bytes_are_those_of_the_stream() {
        let (mut read, mut all) = (0, 0);
        for content in contents() {
            for level in [1, 6, 12] {
                let packed = packed(&content, level);
                for size in [0, 1, 7, 18, content.len()] {
                    let mut room = vec![0; size];
                    let most = if size > 18 { packed.len() } else { PACKED_BYTES };
                    let enough = &packed[..packed.len().min(most)];
                    all += 1;
                    if inflate_prefix(enough, &mut room).is_some() {
                        assert!(size <= content.len() && room == content[..size]);
                        read += 1;
                    }
                }
            }
        }
        assert!(read > all / 2, "{read} of {all}");
    }

    #[test]
    fn a_damaged_stream_gives_bytes_or_none_and_a_cut_one_none_that_it_has_not() {
        for content in contents().filter(|content| content.len() < 1000) {
            let packed = packed(&content, 6);
            for at in 0..packed.len().min(60) {
                let mut room = [0; 18];
                if inflate_prefix(&packed[..at], &mut room).is_some() {
                    assert_eq!(room, content[..18]);
                }
                let mut damaged = packed.clone();
                for flipped in [1, 0x10, 0x80, 0xff] {
                    damaged[at] = packed[at] ^ flipped;
                    let _ = inflate_prefix(&damaged, &mut [0; 700]);
                }
            }
        }
    }
}
