//! Finds a short edit script between two sequences of numbers.
//!
//! The search is that of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations",
//! Algorithmica 1 (1986), in its linear-space form (section 4b): one front advances from the start
//! of the box and one from its end; where they meet, the box is split in two. Three rules beyond
//! the paper, which git has too and which decide its output, keep the cost near linear on texts
//! with little in common; `Minimal` does not use them:
//!
//! * past [`PATIENT_COST`] edits, a far diagonal that ends in [`GOOD_SLIDE`] equal lines splits the
//!   box;
//! * past about the square root of the problem's size, the furthest point of either front splits
//!   it.
//!
//! The second front is the first on both sequences reversed, so each rule is written once.

use redline_base::budget::Grow;
use std::ops::Range;

use super::prune::root_above;
use super::sides::{Area, Buffers, Sides, equals_are_common};
use crate::cancel_token::{CancelToken, PacedToken, Stopped};

/// The least number of edits before the rules beyond the paper apply.
const PATIENT_COST: i32 = 256;
/// Equal lines in a row that make a diagonal worth a split.
const GOOD_SLIDE: i32 = 20;
/// Lines per edit that a diagonal must have passed to be worth a split.
const GOOD_PROGRESS: i64 = 4;
/// Lines that are compared between two steps of the pace.
const STRIDE: usize = 1 << 14;

/// Buffers that are reused from one search to the next.
#[derive(Debug, Default)]
pub(super) struct Search {
    ahead: Front,
    back: Front,
    bytes: Buffers<u8>,
    shorts: Buffers<u16>,
    words: Buffers<u32>,
    boxes: Vec<Area>,
}

/// The point where a box is split, relative to its corner, and whether each part is searched
/// without shortcuts.
struct Split {
    old: usize,
    new: usize,
    exact: (bool, bool),
}

impl Search {
    /// Calls `removed` for each index of `old` and `added` for each index of `new` that is not
    /// matched.
    pub(super) fn run(
        &mut self,
        old: &[u32],
        new: &[u32],
        minimal: bool,
        removed: impl FnMut(usize),
        added: impl FnMut(usize),
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let diagonals = old.len() + new.len() + 3;
        // Both fronts, and both sides forward and backward in numbers of up to 32 bits.
        let _charge = cancel.charge(diagonals * (2 * size_of::<i32>() + 2))?;
        self.ahead.reserve(diagonals)?;
        self.back.reserve(diagonals)?;
        // Narrower numbers fit more lines in the processor's cache.
        let Self { ahead, back, bytes, shorts, words, boxes } = self;
        let mut work = Work { ahead, back, boxes, old, new, minimal, removed, added, cancel };
        match old.iter().chain(new).max() {
            None | Some(0..0x100) => {
                bytes.fill(old, new, |id| id as u8, cancel)?;
                if equals_are_common(old, new) {
                    work.run(|area| bytes.dense(area))
                } else {
                    work.run(|area| bytes.sparse(area))
                }
            }
            Some(0..0x1_0000) => {
                shorts.fill(old, new, |id| id as u16, cancel)?;
                work.run(|area| shorts.sparse(area))
            }
            Some(_) => {
                words.fill(old, new, |id| id, cancel)?;
                work.run(|area| words.sparse(area))
            }
        }
    }
}

/// The remaining search and the receivers of its results.
struct Work<'a, R, A> {
    ahead: &'a mut Front,
    back: &'a mut Front,
    boxes: &'a mut Vec<Area>,
    old: &'a [u32],
    new: &'a [u32],
    minimal: bool,
    removed: R,
    added: A,
    cancel: &'a CancelToken<'a>,
}

impl<R: FnMut(usize), A: FnMut(usize)> Work<'_, R, A> {
    /// Searches all boxes; `sides` returns a box as seen by the fronts from its start and from its
    /// end.
    fn run<S: Sides>(&mut self, sides: impl Fn(&Area) -> (S, S)) -> Result<(), Stopped> {
        let (old, new, mut pace) = (self.old, self.new, self.cancel.pace());
        let limit = (root_above(old.len() + new.len() + 3) as i32).max(PATIENT_COST);
        self.boxes.clear();
        self.boxes.add(Area { old: 0..old.len(), new: 0..new.len(), exact: self.minimal });
        while let Some(mut area) = self.boxes.pop() {
            shrink([old, new], [&mut area.old, &mut area.new], &mut pace)?;
            let (o1, o2, n1, n2) = (area.old.start, area.old.end, area.new.start, area.new.end);
            if o1 == o2 || n1 == n2 {
                (o1..o2).for_each(&mut self.removed);
                (n1..n2).for_each(&mut self.added);
                pace.spend(o2 - o1 + n2 - n1)?;
                continue;
            }
            let (forward, backward) = sides(&area);
            let limit = (!area.exact).then_some(limit);
            let split = meet(self.ahead, self.back, forward, backward, limit, &mut pace)?;
            let (o, n) = (o1 + split.old, n1 + split.new);
            let first = Area { old: o1..o, new: n1..n, exact: split.exact.0 };
            let second = Area { old: o..o2, new: n..n2, exact: split.exact.1 };
            // The smaller part goes on top, so that the depth of the stack is at most logarithmic
            // in the size.
            if first.size() < second.size() {
                self.boxes.add_all([second, first]);
            } else {
                self.boxes.add_all([first, second]);
            }
        }
        Ok(())
    }
}

impl Area {
    fn size(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// Removes equal lines at both ends of a range of each side.
pub(super) fn shrink(
    ids: [&[u32]; 2],
    [old, new]: [&mut Range<usize>; 2],
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    let start = common_start(&ids[0][old.clone()], &ids[1][new.clone()], pace)?;
    old.start += start;
    new.start += start;
    let end = common_end(&ids[0][old.clone()], &ids[1][new.clone()], pace)?;
    old.end -= end;
    new.end -= end;
    Ok(())
}

/// Returns the number of equal lines at the start.
fn common_start(a: &[u32], b: &[u32], pace: &mut PacedToken<'_>) -> Result<usize, Stopped> {
    let mut equal = 0;
    for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
        let run = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        equal += run;
        pace.spend(run)?;
        if run < STRIDE {
            break;
        }
    }
    Ok(equal)
}

/// Returns the number of equal lines at the end.
fn common_end(a: &[u32], b: &[u32], pace: &mut PacedToken<'_>) -> Result<usize, Stopped> {
    let mut equal = 0;
    for (a, b) in a.rchunks(STRIDE).zip(b.rchunks(STRIDE)) {
        let run = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        equal += run;
        pace.spend(run)?;
        if run < STRIDE {
            break;
        }
    }
    Ok(equal)
}

/// The furthest point of a search on each diagonal, for the current number of edits.
///
/// Diagonal `d` holds the points whose old index less new index is `d`; its entry is the old index.
#[derive(Debug, Default)]
struct Front {
    reach: Vec<i32>,
    /// The index of diagonal 0 in `reach`.
    zero: i32,
    low: i32,
    high: i32,
}

/// The result of one more edit.
#[derive(Default)]
struct Advance {
    /// The diagonal and the old index where the other front was met.
    met: Option<(i32, i32)>,
    slid_far: bool,
}

impl Front {
    fn reserve(&mut self, diagonals: usize) -> Result<(), Stopped> {
        if self.reach.len() < diagonals {
            self.reach.clear();
            self.reach.try_reserve_exact(diagonals).map_err(|_| Stopped::Allocation)?;
            self.reach.resize(diagonals, 0);
        }
        Ok(())
    }

    fn start(&mut self, new_len: i32) {
        self.zero = new_len + 1;
        self.low = 0;
        self.high = 0;
        *self.at_mut(0) = 0;
    }

    #[inline]
    fn at(&self, diagonal: i32) -> i32 {
        self.reach[(self.zero + diagonal) as usize]
    }

    #[inline]
    fn at_mut(&mut self, diagonal: i32) -> &mut i32 {
        &mut self.reach[(self.zero + diagonal) as usize]
    }

    /// Adds one diagonal on each side; at the box's edge removes one, as only every second diagonal
    /// is visited.
    fn widen(&mut self, old_len: i32, new_len: i32) {
        if self.low > -new_len {
            self.low -= 1;
            *self.at_mut(self.low - 1) = -1;
        } else {
            self.low += 1;
        }
        if self.high < old_len {
            self.high += 1;
            *self.at_mut(self.high + 1) = -1;
        } else {
            self.high -= 1;
        }
    }

    /// Makes one more edit on each diagonal and slides along equal lines.
    ///
    /// Visits the diagonals in falling order if `FALLING`; stops at `other` if `MEETING`.
    fn step<const FALLING: bool, const MEETING: bool, S: Sides>(
        &mut self,
        sides: S,
        other: &Self,
        pace: &mut PacedToken<'_>,
    ) -> Result<Advance, Stopped> {
        let (old_len, new_len) = sides.lens();
        self.widen(old_len, new_len);
        pace.spend((self.high - self.low).max(0) as usize)?;
        let mut slid = Slid::default();
        let mut met = None;
        let facing = other.entries(0);
        let facing_at = |diagonal: i32| (old_len - new_len - diagonal - other.low) as usize;
        // Entries of visited diagonals alternate with those of their neighbours, which hold the
        // ends of the last edit.
        let (low, high) = (self.low, self.high);
        let entries = self.entries_mut(1);
        if FALLING {
            let Some((&mut mut adding, rest)) = entries.split_last_mut() else {
                return Ok(Advance::default());
            };
            let mut diagonal = high;
            for [removing, entry] in rest.as_chunks_mut::<2>().0.iter_mut().rev() {
                let end = slid.along(sides, (*removing + 1).max(adding), diagonal);
                *entry = end;
                if MEETING
                    && facing.get(facing_at(diagonal)).is_some_and(|reach| end + reach >= old_len)
                {
                    met = Some((diagonal, end));
                    break;
                }
                adding = *removing;
                diagonal -= 2;
            }
        } else {
            let Some((&mut mut removing, rest)) = entries.split_first_mut() else {
                return Ok(Advance::default());
            };
            let mut diagonal = low;
            for [entry, adding] in rest.as_chunks_mut::<2>().0 {
                let end = slid.along(sides, (removing + 1).max(*adding), diagonal);
                *entry = end;
                if MEETING
                    && facing.get(facing_at(diagonal)).is_some_and(|reach| end + reach >= old_len)
                {
                    met = Some((diagonal, end));
                    break;
                }
                removing = *adding;
                diagonal += 2;
            }
        }
        pace.spend(slid.lines)?;
        Ok(Advance { met, slid_far: slid.far })
    }

    /// Returns the range of `reach` from `margin` below the lowest diagonal to `margin` above the
    /// highest.
    fn range(&self, margin: i32) -> Range<usize> {
        (self.zero + self.low - margin) as usize..(self.zero + self.high + 1 + margin) as usize
    }

    fn entries(&self, margin: i32) -> &[i32] {
        self.reach.get(self.range(margin)).unwrap_or_default()
    }

    fn entries_mut(&mut self, margin: i32) -> &mut [i32] {
        let range = self.range(margin);
        self.reach.get_mut(range).unwrap_or_default()
    }

    /// Returns the point of the most advanced diagonal that ends in a long slide.
    fn promising<const FALLING: bool>(
        &self,
        sides: impl Sides,
        cost: i32,
    ) -> Option<(usize, usize)> {
        let (old_len, new_len) = sides.lens();
        let mut best = i64::from(cost) * GOOD_PROGRESS;
        let mut found = None;
        for diagonal in self.diagonals::<FALLING>() {
            let o = self.at(diagonal);
            let n = o - diagonal;
            let progress = i64::from(o) + i64::from(n) - i64::from(diagonal.abs());
            if progress <= best
                || !(GOOD_SLIDE..old_len).contains(&o)
                || !(GOOD_SLIDE..new_len).contains(&n)
            {
                continue;
            }
            if sides.equal_before(o, n, GOOD_SLIDE) {
                best = progress;
                found = Some((o as usize, n as usize));
            }
        }
        found
    }

    /// Returns the point with the most passed lines of both sides together, clamped to the box.
    fn furthest<const FALLING: bool>(&self, old_len: i32, new_len: i32) -> (usize, usize) {
        let mut best = (-1, (0, 0));
        for diagonal in self.diagonals::<FALLING>() {
            let o = self.at(diagonal).min(old_len).min(new_len + diagonal);
            let n = o - diagonal;
            let sum = i64::from(o) + i64::from(n);
            if best.0 < sum {
                best = (sum, (o as usize, n as usize));
            }
        }
        best.1
    }

    /// Returns the diagonals that the last step visited, in its order.
    fn diagonals<const FALLING: bool>(&self) -> impl Iterator<Item = i32> + use<FALLING> {
        let (low, high) = (self.low, self.high);
        (0..(high - low) / 2 + 1).map(move |i| if FALLING { high - 2 * i } else { low + 2 * i })
    }
}

/// How far one step slid along all diagonals.
#[derive(Default)]
struct Slid {
    lines: usize,
    far: bool,
}

impl Slid {
    #[inline(always)]
    fn along<S: Sides>(&mut self, sides: S, start: i32, diagonal: i32) -> i32 {
        let end = sides.slide(start, diagonal);
        if S::DENSE || end != start {
            self.lines += (end - start) as usize;
            self.far |= end - start > GOOD_SLIDE;
        }
        end
    }
}

/// Advances both fronts toward each other and returns where to split the box; without `limit`, only
/// where they meet.
fn meet<S: Sides>(
    ahead: &mut Front,
    back: &mut Front,
    forward: S,
    backward: S,
    limit: Option<i32>,
    pace: &mut PacedToken<'_>,
) -> Result<Split, Stopped> {
    let (o, n) = forward.lens();
    let odd = (o - n) & 1 != 0;
    let mirrored = |(old, new): (usize, usize)| (o as usize - old, n as usize - new);
    let point = |(diagonal, old): (i32, i32)| (old as usize, (old - diagonal) as usize);
    let split = |(old, new): (usize, usize), exact| Ok(Split { old, new, exact });
    ahead.start(n);
    back.start(n);
    let mut cost = 0;
    loop {
        cost += 1;
        let forth = match odd {
            true => ahead.step::<true, true, S>(forward, back, pace)?,
            false => ahead.step::<true, false, S>(forward, back, pace)?,
        };
        if let Some(met) = forth.met {
            return split(point(met), (true, true));
        }
        let aft = match odd {
            true => back.step::<false, false, S>(backward, ahead, pace)?,
            false => back.step::<false, true, S>(backward, ahead, pace)?,
        };
        if let Some(met) = aft.met {
            return split(mirrored(point(met)), (true, true));
        }
        let Some(limit) = limit else { continue };
        if cost > PATIENT_COST && (forth.slid_far || aft.slid_far) {
            if let Some(point) = ahead.promising::<true>(forward, cost) {
                return split(point, (true, false));
            }
            if let Some(point) = back.promising::<false>(backward, cost) {
                return split(mirrored(point), (false, true));
            }
        }
        if cost >= limit {
            let front = ahead.furthest::<true>(o, n);
            let rear = back.furthest::<false>(o, n);
            return if rear.0 + rear.1 < front.0 + front.1 {
                split(front, (true, false))
            } else {
                split(mirrored(rear), (false, true))
            };
        }
    }
}
