//! Finds a short edit script between two sequences of numbers.
//!
//! The search is that of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), in
//! its linear-space form (section 4b): one front walks from the start of the box and one from its end; where they
//! meet, the box is split in two. Three rules beyond the paper, which git has too and which decide its output, keep
//! the cost near linear on texts that have little in common; `Minimal` goes without them:
//!
//! * past [`PATIENT_COST`] edits, a diagonal that got far and ends in [`GOOD_SLIDE`] equal lines splits the box;
//! * past about the square root of the problem's size, the furthest point of either front splits it.
//!
//! The second front is the first on both sequences reversed, so each rule is written once.

use super::prune::root_above;
use super::{Stop, Stopped};
use crate::text::stop::Pace;

/// The number of edits after which the rules beyond the paper apply at the earliest.
const PATIENT_COST: i32 = 256;
/// The number of equal lines in a row that make a diagonal worth a split.
const GOOD_SLIDE: i32 = 20;
/// How many lines per edit a diagonal must have passed to be worth a split.
const GOOD_PROGRESS: i64 = 4;
/// How many lines are compared between two steps of the pace.
const STRIDE: usize = 1 << 14;

/// Buffers that are kept from one search to the next.
#[derive(Debug, Default)]
pub(super) struct Search {
    ahead: Front,
    back: Front,
    old_reversed: Vec<u32>,
    new_reversed: Vec<u32>,
    boxes: Vec<Area>,
}

/// A part of both sequences that is still to be searched.
#[derive(Clone, Copy, Debug)]
struct Area {
    old: (usize, usize),
    new: (usize, usize),
    exact: bool,
}

/// Where a box is split, from its own corner, and whether each part is to be searched without shortcuts.
struct Split {
    old: usize,
    new: usize,
    exact: (bool, bool),
}

impl Search {
    /// Calls `removed` for each index of `old` and `added` for each index of `new` that is not matched.
    pub(super) fn run(
        &mut self,
        old: &[u32],
        new: &[u32],
        minimal: bool,
        mut removed: impl FnMut(usize),
        mut added: impl FnMut(usize),
        stop: &Stop<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = stop.pace();
        let diagonals = old.len() + new.len() + 3;
        let limit = (root_above(diagonals) as i32).max(PATIENT_COST);
        self.ahead.reserve(diagonals);
        self.back.reserve(diagonals);
        reverse_into(old, &mut self.old_reversed);
        reverse_into(new, &mut self.new_reversed);

        self.boxes.clear();
        self.boxes.push(Area { old: (0, old.len()), new: (0, new.len()), exact: minimal });
        while let Some(mut area) = self.boxes.pop() {
            area.shrink(old, new, &mut pace)?;
            let Area { old: (o1, o2), new: (n1, n2), exact } = area;
            if o1 == o2 || n1 == n2 {
                (o1..o2).for_each(&mut removed);
                (n1..n2).for_each(&mut added);
                pace.spend(o2 - o1 + n2 - n1)?;
                continue;
            }
            let split = {
                let mirrored = |len: usize, (from, to): (usize, usize)| len - to..len - from;
                let sides = Sides {
                    ahead: (&old[o1..o2], &new[n1..n2]),
                    back: (
                        &self.old_reversed[mirrored(old.len(), area.old)],
                        &self.new_reversed[mirrored(new.len(), area.new)],
                    ),
                };
                meet(&mut self.ahead, &mut self.back, sides, limit, exact, &mut pace)?
            };
            let (o, n) = (o1 + split.old, n1 + split.new);
            let first = Area { old: (o1, o), new: (n1, n), exact: split.exact.0 };
            let second = Area { old: (o, o2), new: (n, n2), exact: split.exact.1 };
            // The smaller part goes on top, so that the stack is never deeper than the logarithm of the size.
            if first.size() < second.size() {
                self.boxes.extend([second, first]);
            } else {
                self.boxes.extend([first, second]);
            }
        }
        Ok(())
    }
}

fn reverse_into(ids: &[u32], into: &mut Vec<u32>) {
    into.clear();
    into.extend(ids.iter().rev());
}

impl Area {
    const fn size(&self) -> usize {
        self.old.1 - self.old.0 + self.new.1 - self.new.0
    }

    /// Takes equal lines off both ends.
    fn shrink(&mut self, old: &[u32], new: &[u32], pace: &mut Pace<'_>) -> Result<(), Stopped> {
        let start = common_start(&old[self.old.0..self.old.1], &new[self.new.0..self.new.1], pace)?;
        self.old.0 += start;
        self.new.0 += start;
        let end = common_end(&old[self.old.0..self.old.1], &new[self.new.0..self.new.1], pace)?;
        self.old.1 -= end;
        self.new.1 -= end;
        Ok(())
    }
}

/// Returns how many lines at the start are equal.
pub(super) fn common_start(a: &[u32], b: &[u32], pace: &mut Pace<'_>) -> Result<usize, Stopped> {
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

/// Returns how many lines at the end are equal.
pub(super) fn common_end(a: &[u32], b: &[u32], pace: &mut Pace<'_>) -> Result<usize, Stopped> {
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

/// Both sequences of a box, as each front sees them.
#[derive(Clone, Copy)]
struct Sides<'a> {
    ahead: (&'a [u32], &'a [u32]),
    back: (&'a [u32], &'a [u32]),
}

/// How far a search got on each diagonal with the edits made so far.
///
/// Diagonal `d` holds the points whose old index less new index is `d`; its entry is the old index.
#[derive(Debug, Default)]
struct Front {
    reach: Vec<i32>,
    /// Where diagonal 0 is in `reach`.
    zero: i32,
    low: i32,
    high: i32,
}

/// What one more edit brought.
struct Step {
    /// The diagonal and the old index where the other front was met.
    met: Option<(i32, i32)>,
    slid_far: bool,
}

impl Front {
    fn reserve(&mut self, diagonals: usize) {
        if self.reach.len() < diagonals {
            self.reach.resize(diagonals, 0);
        }
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

    /// Goes one diagonal further each way; at the box's edge, one back, for every second diagonal is visited.
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

    /// Makes one more edit on each diagonal, in falling order when `FALLING`, and slides along equal lines.
    fn step<const FALLING: bool>(
        &mut self,
        (old, new): (&[u32], &[u32]),
        other: Option<&Self>,
        pace: &mut Pace<'_>,
    ) -> Result<Step, Stopped> {
        let (old_len, new_len) = (old.len() as i32, new.len() as i32);
        self.widen(old_len, new_len);
        let mut slid_far = false;
        let mut slid = 0;
        let mut place = if FALLING { self.high } else { self.low };
        while self.low <= place && place <= self.high {
            let diagonal = place;
            place += if FALLING { -2 } else { 2 };
            let removing = self.at(diagonal - 1);
            let adding = self.at(diagonal + 1);
            let start = if removing >= adding { removing + 1 } else { adding };
            let (mut o, mut n) = (start as usize, (start - diagonal) as usize);
            while let (Some(a), Some(b)) = (old.get(o), new.get(n))
                && a == b
            {
                o += 1;
                n += 1;
            }
            let end = o as i32;
            slid += end - start;
            slid_far |= end - start > GOOD_SLIDE;
            *self.at_mut(diagonal) = end;
            if let Some(other) = other {
                let facing = old_len - new_len - diagonal;
                if other.low <= facing && facing <= other.high && end + other.at(facing) >= old_len {
                    return Ok(Step { met: Some((diagonal, end)), slid_far });
                }
            }
        }
        pace.spend((self.high - self.low).max(0) as usize + slid as usize)?;
        Ok(Step { met: None, slid_far })
    }

    /// Returns the point of the most advanced diagonal that ends in a good slide.
    fn promising<const FALLING: bool>(&self, (old, new): (&[u32], &[u32]), cost: i32) -> Option<(usize, usize)> {
        let (old_len, new_len) = (old.len() as i32, new.len() as i32);
        let mut best = i64::from(cost) * GOOD_PROGRESS;
        let mut found = None;
        for diagonal in self.diagonals::<FALLING>() {
            let o = self.at(diagonal);
            let n = o - diagonal;
            let progress = i64::from(o) + i64::from(n) - i64::from(diagonal.abs());
            if progress <= best || !(GOOD_SLIDE..old_len).contains(&o) || !(GOOD_SLIDE..new_len).contains(&n) {
                continue;
            }
            let (o, n) = (o as usize, n as usize);
            let length = GOOD_SLIDE as usize;
            if old[o - length..o] == new[n - length..n] {
                best = progress;
                found = Some((o, n));
            }
        }
        found
    }

    /// Returns the point that passed most lines of both sides together, drawn back into the box.
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

/// Walks both fronts toward each other and returns where to split the box.
fn meet(
    ahead: &mut Front,
    back: &mut Front,
    sides: Sides<'_>,
    limit: i32,
    exact: bool,
    pace: &mut Pace<'_>,
) -> Result<Split, Stopped> {
    let (old_len, new_len) = (sides.ahead.0.len(), sides.ahead.1.len());
    let (o, n) = (old_len as i32, new_len as i32);
    let odd = (o - n) & 1 != 0;
    let mirrored = |(old, new): (usize, usize)| (old_len - old, new_len - new);
    let split = |(old, new): (usize, usize), exact| Ok(Split { old, new, exact });
    ahead.start(n);
    back.start(n);
    let mut cost = 0;
    loop {
        cost += 1;
        let forth = ahead.step::<true>(sides.ahead, odd.then_some(&*back), pace)?;
        if let Some((diagonal, old)) = forth.met {
            return split((old as usize, (old - diagonal) as usize), (true, true));
        }
        let aft = back.step::<false>(sides.back, (!odd).then_some(&*ahead), pace)?;
        if let Some((diagonal, old)) = aft.met {
            return split(mirrored((old as usize, (old - diagonal) as usize)), (true, true));
        }
        if exact {
            continue;
        }
        if cost > PATIENT_COST && (forth.slid_far || aft.slid_far) {
            if let Some(point) = ahead.promising::<true>(sides.ahead, cost) {
                return split(point, (true, false));
            }
            if let Some(point) = back.promising::<false>(sides.back, cost) {
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
