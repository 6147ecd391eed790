//! Gives equal lines equal numbers, so that the search compares integers instead of bytes.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::sync::OnceLock;

use crate::cancel_token::{CancelToken, PacedToken, STRIDE, Stopped};
use crate::lines::View;
use redline_base::budget::{Charge, reserve};

/// Slots of the smallest table, and of a table from which it grows by a smaller factor.
const SMALLEST_TABLE: usize = 64;
const LARGE_TABLE: usize = 1 << 21;

/// Lines that are hashed before the first of them is looked up. Their slots are fetched together:
/// with a table larger than the processor's cache, fetching them one by one would take most of the
/// time.
const AHEAD: usize = 16;

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const OTHER_MULTIPLIER: u64 = 0xd1b5_4a32_d192_ed03;

/// The text that a line is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Old = 0,
    New = 1,
}

/// One distinct line.
#[derive(Debug)]
struct Class {
    hash: u64,
    /// A line of this class: its number times two, plus one on the new side.
    sample: u32,
    /// The number of occurrences on each side.
    count: [u32; 2],
}

/// The distinct lines of both sides, by content.
///
/// Uses open addressing with linear probing. A slot is 0 if free; else the upper half of the
/// class's hash, then the class's number plus one. The hash is seeded at random per process, so
/// that no file can be crafted to collide.
#[derive(Debug, Default)]
pub(super) struct Interner {
    slots: Vec<u64>,
    classes: Vec<Class>,
    charge: Charge,
}

impl Interner {
    /// Removes all lines and makes room for about `lines` of them.
    pub(super) fn clear(&mut self, lines: usize, cancel: &CancelToken<'_>) -> Result<(), Stopped> {
        self.charge = Charge::free();
        self.classes.clear();
        self.slots.clear();
        let room = (lines.min(1 << 16) * 2).next_power_of_two();
        let room = room.max(SMALLEST_TABLE);
        cancel.room(&mut self.charge, &mut self.slots, room)?;
        self.slots.resize(room, 0);
        Ok(())
    }

    /// Releases the charge; the tables stay for the next pair.
    pub(super) fn rest(&mut self) {
        self.charge = Charge::free();
    }

    /// Returns the number of distinct lines.
    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns the number of occurrences of the line numbered `class` on `side`.
    #[inline]
    pub(super) fn count(&self, class: u32, side: Side) -> u32 {
        self.classes[class as usize].count[side as usize]
    }

    /// Appends the number of each of the lines `range` of the old side to `ids`.
    pub(super) fn add_old(
        &mut self,
        texts: [View<'_>; 2],
        range: Range<usize>,
        ids: &mut Vec<u32>,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        reserve(ids, range.len())?;
        let mut hashes = HashesAhead::default();
        for index in range.clone() {
            if !hashes.has(index) {
                self.hash_ahead(texts[0], index..range.end.min(index + AHEAD), &mut hashes, pace)?;
            }
            ids.push(self.number(texts, Side::Old, index, hashes.of(index), pace)?);
        }
        Ok(())
    }

    /// Appends the number of each of the lines `range` of the new side to `ids`; `old_ids` are
    /// those of the old side from line `old_start` on.
    ///
    /// Most lines come in the old side's order: each is first compared with the expected next one.
    pub(super) fn add_new(
        &mut self,
        texts: [View<'_>; 2],
        range: Range<usize>,
        (old_start, old_ids): (usize, &[u32]),
        ids: &mut Vec<u32>,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        reserve(ids, range.len())?;
        let mut hashes = HashesAhead::default();
        let mut next = 0;
        for index in range.clone() {
            if let Some(&class) = old_ids.get(next)
                && equal(texts[0].get(old_start + next), texts[1].get(index), pace)?
            {
                self.classes[class as usize].count[Side::New as usize] += 1;
                ids.push(class);
                next += 1;
                continue;
            }
            if !hashes.has(index) {
                let count = hashes.more_at(index);
                self.hash_ahead(texts[1], index..range.end.min(index + count), &mut hashes, pace)?;
            }
            let class = self.number(texts, Side::New, index, hashes.of(index), pace)?;
            // A line that is unique on the old side tells which line to expect next.
            let Class { sample, count, .. } = &self.classes[class as usize];
            if count[Side::Old as usize] == 1 {
                next = (*sample >> 1) as usize - old_start + 1;
            }
            ids.push(class);
        }
        Ok(())
    }

    /// Hashes a few lines of a side and fetches their slots.
    #[inline]
    fn hash_ahead(
        &self,
        text: View<'_>,
        lines: Range<usize>,
        hashes: &mut HashesAhead,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        for (index, into) in lines.clone().zip(&mut hashes.hashes) {
            *into = hash(text.get(index), pace)?;
        }
        // A loop of its own, so short that the processor waits for all loads together. The loaded
        // values are not needed, so the compiler would drop the loads.
        let mask = self.slots.len() - 1;
        let ahead = &hashes.hashes[..lines.len()];
        let fetched = ahead.iter().fold(0, |all, &hash| all | self.slots[hash as usize & mask]);
        std::hint::black_box(fetched);
        hashes.lines = lines;
        Ok(())
    }

    /// Counts a line and returns its number, a new one if it is the first of its kind.
    #[inline]
    fn number(
        &mut self,
        texts: [View<'_>; 2],
        side: Side,
        index: usize,
        hash: u64,
        pace: &mut PacedToken<'_>,
    ) -> Result<u32, Stopped> {
        let line = texts[side as usize].get(index);
        let class = match self.find(texts, line, hash, pace)? {
            Ok(class) => class,
            Err(slot) => self.insert(slot, hash, (index as u32) << 1 | side as u32, pace)?,
        };
        self.classes[class as usize].count[side as usize] += 1;
        Ok(class)
    }

    /// Counts the lines `range` of the old side that the new side has too, without numbering new
    /// ones.
    pub(super) fn count_shared(
        &mut self,
        texts: [View<'_>; 2],
        range: Range<usize>,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        let shapes = Shapes::of(self.classes.iter().map(|class| sample(texts, class)));
        for index in range {
            let line = texts[0].get(index);
            if !shapes.may_hold(line) {
                pace.spend(1)?;
                continue;
            }
            let hash = hash(line, pace)?;
            if let Ok(class) = self.find(texts, line, hash, pace)? {
                let count = &mut self.classes[class as usize].count;
                count[0] += 1;
                count[1] += 1;
            }
        }
        Ok(())
    }

    /// Returns the class of `line`, or the free slot where it belongs.
    #[inline]
    fn find(
        &self,
        texts: [View<'_>; 2],
        line: &[u8],
        hash: u64,
        pace: &mut PacedToken<'_>,
    ) -> Result<Result<u32, usize>, Stopped> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Ok(Err(at));
            }
            if slot >> 32 == hash >> 32 {
                let class = slot as u32 - 1;
                if equal(sample(texts, &self.classes[class as usize]), line, pace)? {
                    return Ok(Ok(class));
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(
        &mut self,
        slot: usize,
        hash: u64,
        sample: u32,
        pace: &mut PacedToken<'_>,
    ) -> Result<u32, Stopped> {
        let class = self.classes.len() as u32;
        self.slots[slot] = hash >> 32 << 32 | u64::from(class + 1);
        let count = [0, 0];
        pace.cancel().room(&mut self.charge, &mut self.classes, 1)?;
        self.classes.push(Class { hash, sample, count });
        if self.classes.len() * 2 > self.slots.len() {
            self.grow(pace)?;
        }
        Ok(class)
    }

    fn grow(&mut self, pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        // Every page of a large table is new memory, which costs more than moving the lines once
        // more.
        let room = self.slots.len() * if self.slots.len() < LARGE_TABLE { 4 } else { 2 };
        // New memory is zeroed.
        self.charge.join(pace.cancel().charge((room - self.slots.len()) * size_of::<u64>())?);
        self.slots.clear();
        self.slots.try_reserve_exact(room).map_err(|_| Stopped::Allocation)?;
        self.slots.resize(room, 0);
        let mask = room - 1;
        for (class, number) in self.classes.iter().zip(1u64..) {
            pace.spend(1)?;
            let mut at = class.hash as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = class.hash >> 32 << 32 | number;
        }
        Ok(())
    }
}

/// The hashes of a few consecutive lines.
#[derive(Default)]
struct HashesAhead {
    hashes: [u64; AHEAD],
    lines: Range<usize>,
}

impl HashesAhead {
    #[inline]
    fn has(&self, line: usize) -> bool {
        self.lines.contains(&line)
    }

    /// Returns the hash of one of them.
    #[inline]
    fn of(&self, line: usize) -> u64 {
        self.hashes[line - self.lines.start]
    }

    /// Returns how many lines to hash from `line` on, if most lines match the expected one without
    /// a hash: more if the last ones needed hashes recently.
    fn more_at(&self, line: usize) -> usize {
        if line < self.lines.end + AHEAD { (2 * self.lines.len()).clamp(1, AHEAD) } else { 1 }
    }
}

/// Returns a line of a class.
#[inline]
fn sample<'a>(texts: [View<'a>; 2], class: &Class) -> &'a [u8] {
    texts[class.sample as usize & 1].get(class.sample as usize >> 1)
}

/// A filter that rejects most lines that are not in a small set, by their lengths and ends.
struct Shapes([u64; 16]);

impl Shapes {
    fn of<'a>(lines: impl ExactSizeIterator<Item = &'a [u8]>) -> Self {
        /// With more lines nearly every shape occurs.
        const MAX_LINES: usize = 512;
        if lines.len() > MAX_LINES {
            return Self([u64::MAX; 16]);
        }
        let mut shapes = Self([0; 16]);
        for line in lines {
            let shape = Self::shape(line);
            shapes.0[shape / 64] |= 1 << (shape % 64);
        }
        shapes
    }

    fn may_hold(&self, line: &[u8]) -> bool {
        let shape = Self::shape(line);
        self.0[shape / 64] & 1 << (shape % 64) != 0
    }

    /// Returns a number below 1024.
    fn shape(line: &[u8]) -> usize {
        let end = line.last_chunk::<8>().map_or(0, |end| u64::from_le_bytes(*end));
        let mixed = (end ^ line.len() as u64).wrapping_mul(MULTIPLIER);
        (mixed >> 54) as usize
    }
}

/// Tells whether two lines are equal, in cancellable steps.
#[inline]
pub(super) fn equal(a: &[u8], b: &[u8], pace: &mut PacedToken<'_>) -> Result<bool, Stopped> {
    if a.len() != b.len() {
        return Ok(false);
    }
    if a.len() <= STRIDE {
        pace.pass(a.len())?;
        return Ok(a == b);
    }
    for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
        pace.pass(STRIDE)?;
        if a != b {
            return Ok(false);
        }
    }
    Ok(true)
}

#[inline]
fn hash(line: &[u8], pace: &mut PacedToken<'_>) -> Result<u64, Stopped> {
    let seed = seed();
    if line.len() <= STRIDE {
        pace.pass(line.len())?;
        return Ok(hash_part(line, seed));
    }
    let mut state = seed;
    for part in line.chunks(STRIDE) {
        pace.pass(STRIDE)?;
        state = hash_part(part, state);
    }
    Ok(state)
}

/// Hashes bytes by folded 64 x 64 -> 128-bit products, two words at a time (the scheme of wyhash,
/// by Wang Yi).
#[inline]
fn hash_part(bytes: &[u8], seed: u64) -> u64 {
    let mut state = seed ^ bytes.len() as u64;
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        state = fold(block, state);
    }
    if !rest.is_empty() {
        let mut last = [0; 16];
        match bytes.last_chunk::<16>() {
            Some(overlapping) => last = *overlapping,
            None => spread(rest, &mut last),
        }
        state = fold(&last, state);
    }
    product(state, OTHER_MULTIPLIER)
}

/// Copies fewer than 16 bytes so that different strings of one length stay different.
#[inline]
fn spread(bytes: &[u8], into: &mut [u8; 16]) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        into[..8].copy_from_slice(first);
        into[8..].copy_from_slice(last);
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        into[..4].copy_from_slice(first);
        into[8..12].copy_from_slice(last);
    } else {
        for (to, &byte) in into.iter_mut().zip(bytes) {
            *to = byte;
        }
    }
}

#[inline]
fn fold(block: &[u8; 16], state: u64) -> u64 {
    let word = u128::from_le_bytes(*block);
    product(word as u64 ^ MULTIPLIER, (word >> 64) as u64 ^ state)
}

#[inline]
const fn product(a: u64, b: u64) -> u64 {
    let wide = a as u128 * b as u128;
    wide as u64 ^ (wide >> 64) as u64
}

fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| RandomState::new().build_hasher().finish())
}
