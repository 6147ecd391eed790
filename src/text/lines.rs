//! Splits bytes into lines once, so that every later step names a line by its number.

use super::cancel_token::{CancelToken, Stopped};
use super::common_ends::CommonEnds;
use redline_base::budget::{Charge, Grow, GrowBy};
use redline_base::error::{Error, Result};

/// The most bytes of a side: 1023 MiB, the limit of git's own diff. It also keeps line numbers, and
/// the sum of both sides' line counts, below 2^31.
pub const MAX_BYTES: usize = 1023 * 1024 * 1024;

/// Bytes that are split between two checks of the budget.
const STRIDE: usize = 1 << 18;

/// The lines of a byte string, each with its terminator (`\n`); the last may lack one.
///
/// Bytes that end in `\n` have no empty line after it; empty bytes have no line.
#[derive(Debug)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    bounds: Vec<u32>,
    _charge: Charge,
}

impl<'a> Lines<'a> {
    /// Splits `bytes`.
    ///
    /// # Errors
    /// `too_large` for more than [`MAX_BYTES`]; the reason why the query ended.
    pub fn split(bytes: &'a [u8], cancel: &CancelToken<'_>) -> Result<Self> {
        check_size(bytes)?;
        let (mut bounds, charge) = bounds_for(bytes, 0, cancel)?;
        bounds.add(0);
        push_bounds(bytes, 0, &mut bounds, cancel)?;
        Ok(Self { bytes, bounds, _charge: charge })
    }

    /// Splits a text that has its first and last lines in common with `other`, without scanning
    /// them again; also returns the numbers of those lines at the start and at the end.
    pub(super) fn split_beside(
        bytes: &'a [u8],
        other: &Lines<'_>,
        ends: CommonEnds,
        cancel: &CancelToken<'_>,
    ) -> Result<(Self, (usize, usize))> {
        check_size(bytes)?;
        let first_from =
            |offset: usize| other.bounds.partition_point(|&bound| (bound as usize) < offset);
        let (start, end) =
            (first_from(ends.start), first_from(other.bytes.len() - ends.end).min(other.len()));
        let middle = ends.between(bytes);
        let (mut bounds, charge) = bounds_for(middle, other.bounds.len(), cancel)?;
        bounds.add_slice(&other.bounds[..=start]);
        push_bounds(middle, ends.start as u32, &mut bounds, cancel)?;
        let (from, to) = (other.bytes.len() as u32, bytes.len() as u32);
        bounds.add_all(other.bounds[end + 1..].iter().map(|&bound| to - (from - bound)));
        Ok((Self { bytes, bounds, _charge: charge }, (start, other.len() - end)))
    }

    /// Returns the number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Tells whether there is no line, that is, no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns line `index` (0-based) with its terminator, or an empty slice past the last line.
    #[must_use]
    pub fn get(&self, index: usize) -> &'a [u8] {
        match self.bounds.get(index..).and_then(<[u32]>::first_chunk) {
            Some(&[start, end]) => &self.bytes[start as usize..end as usize],
            None => &[],
        }
    }

    /// Returns the line (0-based) that contains byte `offset`; the number of lines past the last.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> usize {
        self.bounds[1..].partition_point(|&end| end as usize <= offset)
    }

    /// Returns the start of line `index` (0-based), or the end of the text past the last line.
    #[must_use]
    pub fn start(&self, index: usize) -> usize {
        self.bounds.get(index).map_or(self.bytes.len(), |&start| start as usize)
    }

    /// Returns the bytes that were split.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn view(&self) -> View<'_> {
        View { bytes: self.bytes, bounds: &self.bounds }
    }
}

/// Refuses a text with more than [`MAX_BYTES`].
fn check_size(bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_BYTES {
        let size = bytes.len();
        return Err(Error::too_large(format!(
            "{size} bytes are too many to diff by line (at most {MAX_BYTES})"
        ))
        .with_hint("Compare by size and id (old_oid, new_oid) instead"));
    }
    Ok(())
}

/// Returns the number of lines without splitting; a last line without a terminator counts.
#[must_use]
pub fn line_count(bytes: &[u8]) -> u64 {
    newlines(bytes) as u64 + u64::from(is_unended(bytes))
}

/// Does the same in cancellable steps.
pub(super) fn line_count_until(
    bytes: &[u8],
    cancel: &CancelToken<'_>,
) -> std::result::Result<u64, Stopped> {
    Ok(newlines_until(bytes, cancel)? as u64 + u64::from(is_unended(bytes)))
}

/// Tells whether the last line has no terminator.
fn is_unended(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|&last| last != b'\n')
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Counts newlines in cancellable steps.
fn newlines_until(bytes: &[u8], cancel: &CancelToken<'_>) -> std::result::Result<usize, Stopped> {
    let mut count = 0;
    for block in bytes.chunks(STRIDE) {
        cancel.check()?;
        count += newlines(block);
    }
    Ok(count)
}

/// Appends the end of each line of `text`, which starts `at` bytes into the whole.
fn push_bounds(
    text: &[u8],
    at: u32,
    bounds: &mut Vec<u32>,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    for (block, at) in text.chunks(STRIDE).zip((at..).step_by(STRIDE)) {
        cancel.check()?;
        split_block(block, at, bounds);
    }
    if is_unended(text) {
        bounds.add(at + text.len() as u32);
    }
    Ok(())
}

/// Returns a line without one CR at its end.
pub fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns a line without `\n` or `\r\n`; a CR without an LF after it is content.
pub fn without_terminator(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").map_or(line, without_cr)
}

/// Returns room for `more` bounds and those of a text, whose lines are counted first if it is long.
fn bounds_for(text: &[u8], more: usize, cancel: &CancelToken<'_>) -> Result<(Vec<u32>, Charge)> {
    let lines = if text.len() <= STRIDE { text.len() / 32 } else { newlines_until(text, cancel)? };
    let room = lines + more + 16;
    let charge = cancel.charge(room * size_of::<u32>())?;
    let mut bounds = Vec::new();
    bounds.try_reserve_exact(room).map_err(|_| Stopped::Allocation)?;
    Ok((bounds, charge))
}

/// Bytes that are scanned together: one bit of a `u64` for each.
const BLOCK: usize = 64;

/// Appends the end of each line that ends within `text`, which starts `at` bytes into the whole.
fn split_block(text: &[u8], at: u32, bounds: &mut Vec<u32>) {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut base = at;
    for block in blocks {
        push_ends(newlines_of(block), base, bounds);
        base += BLOCK as u32;
    }
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    push_ends(newlines_of(&last), base, bounds);
}

/// Returns one bit for each byte, the lowest for the first one, set if it is a newline.
///
/// The bytes are compared in vector registers, which leaves a 0 or 1 in each. A multiplication
/// gathers those of eight bytes: it moves byte `i` to bit `56 + i`, and no two bits to the same
/// place.
fn newlines_of(block: &[u8; BLOCK]) -> u64 {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    // A loop over both arrays: `map` is a call for each byte where it is not inlined.
    let mut hits = [0; BLOCK];
    for (hit, byte) in hits.iter_mut().zip(block) {
        *hit = u8::from(*byte == b'\n');
    }
    let (words, _) = hits.as_chunks::<8>();
    (words.iter().zip((0..).step_by(8))).fold(0, |bits, (word, at)| {
        bits | (u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56) << at
    })
}

/// Appends the offset after each newline of a block that starts at `base`.
///
/// Four are written at a time and the excess is removed: the number of lines in a block is
/// unpredictable, and a branch on each would cost more.
fn push_ends(mut newlines: u64, base: u32, bounds: &mut Vec<u32>) {
    let mut left = newlines.count_ones() as usize;
    loop {
        let four = [(); 4].map(|()| {
            let end = base + newlines.trailing_zeros() + 1;
            newlines &= newlines.wrapping_sub(1);
            end
        });
        bounds.add_slice(&four);
        if left <= four.len() {
            bounds.truncate(bounds.len() - (four.len() - left));
            return;
        }
        left -= four.len();
    }
}

/// Borrowed lines: a text, or the form of it that is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    bytes: &'a [u8],
    /// The start of each line, and the end of the last one.
    bounds: &'a [u32],
}

impl<'a> View<'a> {
    /// Combines a buffer with the offsets of its lines: `bounds` is never empty, rises, and ends
    /// within `bytes`.
    pub(super) const fn new(bytes: &'a [u8], bounds: &'a [u32]) -> Self {
        Self { bytes, bounds }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> &'a [u8] {
        &self.bytes[self.bounds[index] as usize..self.bounds[index + 1] as usize]
    }

    /// Returns the bytes of all lines.
    pub(super) fn bytes(&self) -> &'a [u8] {
        let end = self.bounds[self.len()] as usize;
        &self.bytes[..end]
    }

    /// Returns only the first lines, those that end at or before `end` bytes.
    pub(super) fn up_to(self, end: usize) -> Self {
        let kept = self.bounds.partition_point(|&bound| bound as usize <= end);
        Self { bytes: self.bytes, bounds: &self.bounds[..kept.max(1)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(bytes: &[u8]) -> Vec<&[u8]> {
        let lines = Lines::split(bytes, &CancelToken::never()).unwrap();
        (0..lines.len()).map(|i| lines.get(i)).collect()
    }

    #[test]
    fn a_line_keeps_its_terminator_and_the_last_may_lack_one() {
        assert_eq!(split(b""), Vec::<&[u8]>::new());
        assert_eq!(split(b"\n"), [b"\n"]);
        assert_eq!(split(b"a\r\n\nb"), [&b"a\r\n"[..], b"\n", b"b"]);
        assert_eq!(split(b"a\n\n"), [&b"a\n"[..], b"\n"]);
    }

    #[test]
    fn bytes_close_to_a_newline_in_value_or_place_do_not_end_lines() {
        let tricky = [0x0a, 0x0b, 0x0a, 0x8a, 0x00, 0x0a, 0x09, 0xff, 0x0a, 0x0b, 0x0a];
        for pad in 0..20 {
            let mut text = vec![0x0b; pad];
            text.extend_from_slice(&tricky);
            let plain: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
            assert_eq!(split(&text), plain);
        }
    }

    #[test]
    fn every_pattern_of_newlines_in_eight_bytes_is_split() {
        for (pattern, before) in
            (0..=u8::MAX).flat_map(|pattern| [(pattern, 0), (pattern, 8), (pattern, 60)])
        {
            let mut text = vec![b'x'; before];
            text.extend((0..8).map(|bit| if pattern >> bit & 1 == 1 { b'\n' } else { 0x0b }));
            text.extend_from_slice(&[b'\n'; 70]);
            let plain: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
            assert_eq!(split(&text), plain, "{pattern:08b} after {before}");
        }
    }

    #[test]
    fn a_text_longer_than_one_stride_is_split_across_it() {
        let text = b"abcde\n".repeat(STRIDE / 4);
        assert_eq!(split(&text).len(), STRIDE / 4);
        assert!(split(&text).iter().all(|line| line == b"abcde\n"));
    }

    #[test]
    fn a_text_is_split_the_same_with_or_without_another() {
        let texts = [
            "",
            "a",
            "a\n",
            "a\nb",
            "a\nb\n",
            "b\n",
            "\n",
            "a\n\nb\n",
            "a\nc\nb\n",
            "a\nc\nb",
            "c\nb",
            "ab\nb\n",
        ];
        for (old, new) in texts
            .iter()
            .flat_map(|old| texts.iter().map(move |new| (old.as_bytes(), new.as_bytes())))
        {
            let cancel = CancelToken::never();
            let (ends, old) =
                (CommonEnds::of(old, new, &cancel).unwrap(), Lines::split(old, &cancel).unwrap());
            let (got, (start, end)) = Lines::split_beside(new, &old, ends, &cancel).unwrap();
            assert_eq!(got.bounds, Lines::split(new, &cancel).unwrap().bounds, "{old:?} {new:?}");
            assert!((0..start).all(|line| old.get(line) == got.get(line)));
            assert!((1..=end).all(|line| old.get(old.len() - line) == got.get(got.len() - line)));
        }
    }

    #[test]
    fn a_line_past_the_end_is_empty_and_not_a_panic() {
        let lines = Lines::split(b"a\n", &CancelToken::never()).unwrap();
        assert_eq!(lines.get(1), b"");
        assert_eq!(lines.get(usize::MAX), b"");
        assert_eq!((lines.start(1), lines.start(usize::MAX)), (2, 2));
    }

    #[test]
    fn a_newline_belongs_to_the_line_that_it_ends() {
        let lines = Lines::split(b"a\n\nbc", &CancelToken::never()).unwrap();
        let found: Vec<usize> = (0..7).map(|offset| lines.line_at(offset)).collect();
        assert_eq!(found, [0, 0, 1, 2, 2, 3, 3]);
        assert_eq!((0..4).map(|line| lines.start(line)).collect::<Vec<_>>(), [0, 2, 3, 5]);
        assert_eq!(Lines::split(b"", &CancelToken::never()).unwrap().line_at(0), 0);
    }
}
