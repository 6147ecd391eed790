//! Stores two sequences in the form that is fastest to compare along a diagonal.

use std::ops::Range;

use crate::cancel_token::{CancelToken, QUANTUM, Stopped};
use redline_base::budget::{Grow, reserve};

/// A part of both sequences that is still to be searched.
#[derive(Clone, Debug)]
pub(super) struct Area {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    pub(super) exact: bool,
}

/// A box of two sequences, seen from one of its corners.
pub(super) trait Sides: Copy {
    /// Whether lines are equal so often that a branch on it would cost more than it saves.
    const DENSE: bool;

    /// Returns the lengths of the old and of the new sequence in the box.
    fn lens(self) -> (i32, i32);

    /// Returns the old index of the end of the equal lines from `start` on along `diagonal`.
    fn slide(self, start: i32, diagonal: i32) -> i32;

    /// Tells whether the `count` lines before an old and a new index are equal.
    fn equal_before(self, old: i32, new: i32, count: i32) -> bool;
}

/// Numbers that are rarely equal: they are compared one by one.
#[derive(Clone, Copy)]
pub(super) struct Sparse<'a, T> {
    old: &'a [T],
    new: &'a [T],
}

impl<T: Copy + Eq> Sides for Sparse<'_, T> {
    const DENSE: bool = false;

    #[inline(always)]
    fn lens(self) -> (i32, i32) {
        (self.old.len() as i32, self.new.len() as i32)
    }

    #[inline(always)]
    fn slide(self, start: i32, diagonal: i32) -> i32 {
        // Indices are not negative, and widening them as unsigned numbers is free.
        let (mut o, mut n) = (start as u32 as usize, (start - diagonal) as u32 as usize);
        // Most diagonals do not slide: this case is handled first, at the least cost.
        match (self.old.get(o), self.new.get(n)) {
            (Some(a), Some(b)) if a == b => {}
            _ => return start,
        }
        loop {
            o += 1;
            n += 1;
            match (self.old.get(o), self.new.get(n)) {
                (Some(a), Some(b)) if a == b => {}
                _ => return o as i32,
            }
        }
    }

    fn equal_before(self, old: i32, new: i32, count: i32) -> bool {
        self.old.get((old - count) as usize..old as usize)
            == self.new.get((new - count) as usize..new as usize)
    }
}

/// Bytes that are often equal: eight are compared at a time.
///
/// There is no branch on how many of the eight are equal, since it would often be mispredicted and
/// cost more than the rest. Eight bytes past the end of the box can be read.
#[derive(Clone, Copy)]
pub(super) struct Dense<'a> {
    old: &'a [u8],
    new: &'a [u8],
    lens: (i32, i32),
}

impl Sides for Dense<'_> {
    const DENSE: bool = true;

    #[inline(always)]
    fn lens(self) -> (i32, i32) {
        self.lens
    }

    #[inline(always)]
    fn slide(self, start: i32, diagonal: i32) -> i32 {
        let limit = self.lens.0.min(self.lens.1 + diagonal);
        let mut end = start;
        while let (Some(a), Some(b)) = (eight(self.old, end), eight(self.new, end - diagonal)) {
            let equal = (a ^ b).trailing_zeros() as i32 / 8;
            end = (end + equal).min(limit).max(end);
            if equal < 8 || end >= limit {
                break;
            }
        }
        end
    }

    fn equal_before(self, old: i32, new: i32, count: i32) -> bool {
        self.old.get((old - count) as usize..old as usize)
            == self.new.get((new - count) as usize..new as usize)
    }
}

#[inline(always)]
fn eight(bytes: &[u8], from: i32) -> Option<u64> {
    let from = from as u32 as usize;
    bytes.get(from..from + 8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Both sequences forward and reversed, each with padding at its end.
#[derive(Debug, Default)]
pub(super) struct Buffers<T> {
    forward: [Vec<T>; 2],
    reversed: [Vec<T>; 2],
}

const PADDING: usize = 8;

impl<T: Copy + Default + Eq> Buffers<T> {
    /// Replaces the content.
    pub(super) fn fill(
        &mut self,
        old: &[u32],
        new: &[u32],
        narrow: impl Fn(u32) -> T,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = cancel.pace();
        for (side, ids) in [old, new].into_iter().enumerate() {
            let (forward, reversed) = (&mut self.forward[side], &mut self.reversed[side]);
            for numbers in [&mut *forward, &mut *reversed] {
                numbers.clear();
                reserve(numbers, ids.len() + PADDING)?;
            }
            for (part, back) in ids.chunks(QUANTUM).zip(ids.rchunks(QUANTUM)) {
                pace.spend(part.len())?;
                forward.add_all(part.iter().map(|&id| narrow(id)));
                reversed.add_all(back.iter().rev().map(|&id| narrow(id)));
            }
            forward.add_all([T::default(); PADDING]);
            reversed.add_all([T::default(); PADDING]);
        }
        Ok(())
    }

    /// Returns a box as seen from its start and from its end.
    pub(super) fn sparse(&self, area: &Area) -> (Sparse<'_, T>, Sparse<'_, T>) {
        let ([old, new], [old_back, new_back]) = self.starts(area);
        let (o, n) = (area.old.len(), area.new.len());
        let forward = Sparse { old: &old[..o], new: &new[..n] };
        let backward = Sparse { old: &old_back[..o], new: &new_back[..n] };
        (forward, backward)
    }

    /// Returns both sequences from a box's start, and both reversed from its end.
    fn starts(&self, area: &Area) -> ([&[T]; 2], [&[T]; 2]) {
        let from = [area.old.start, area.new.start];
        let to = [area.old.end, area.new.end];
        let forward = [0, 1].map(|side| &self.forward[side][from[side]..]);
        let reversed = [0, 1].map(|side| {
            let all = &self.reversed[side];
            &all[all.len() - PADDING - to[side]..]
        });
        (forward, reversed)
    }
}

impl Buffers<u8> {
    /// Returns a box as seen from its start and from its end.
    pub(super) fn dense(&self, area: &Area) -> (Dense<'_>, Dense<'_>) {
        let ([old, new], [old_back, new_back]) = self.starts(area);
        let lens = (area.old.len() as i32, area.new.len() as i32);
        (Dense { old, new, lens }, Dense { old: old_back, new: new_back, lens })
    }
}

/// Estimates from samples whether a line of one side is likely to equal one of the other.
///
/// Affects only the speed.
pub(super) fn equals_are_common(old: &[u32], new: &[u32]) -> bool {
    const SAMPLES: usize = 512;
    let (step_old, step_new) =
        ((old.len() / SAMPLES).max(1), (new.len() / SAMPLES * 7 / 11).max(1));
    let pairs = old.iter().step_by(step_old).zip(new.iter().rev().step_by(step_new)).take(SAMPLES);
    let (all, equal) =
        pairs.fold((0, 0), |(all, equal), (a, b)| (all + 1, equal + usize::from(a == b)));
    equal * 16 > all
}
