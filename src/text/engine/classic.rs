//! Runs the edit-script search on a range of numbered lines.
//!
//! This is git's whole Myers algorithm, and the fallback of patience and histogram where they find
//! no anchor: equal ends are removed, lines that hardly can match are dropped, the rest is
//! searched.

use std::ops::Range;

use super::intern::Side;
use super::myers::{Search, shrink};
use super::prune::{LINE_BYTES, RetainedLines};
use crate::cancel_token::{CancelToken, QUANTUM, Stopped};
use redline_base::budget::reserve;

/// The line numbers of both sides, and the lines found to be changed.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) ids: [&'a [u32]; 2],
    pub(super) changed: [&'a mut [bool]; 2],
}

impl Pair<'_> {
    /// Marks the lines of a stretch as changed.
    pub(super) fn mark(&mut self, stretch: Stretch) {
        self.changed[0][stretch.old].fill(true);
        self.changed[1][stretch.new].fill(true);
    }

    /// Returns whether two lines are equal.
    #[inline]
    pub(super) fn equal(&self, old: usize, new: usize) -> bool {
        self.ids[0][old] == self.ids[1][new]
    }
}

/// A range of lines of both sides.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The buffers of the search, and how often each line occurs in a stretch.
#[derive(Debug, Default)]
pub(super) struct Classic {
    kept: [RetainedLines; 2],
    search: Search,
    counts: Vec<[u32; 2]>,
}

impl Classic {
    /// Marks the changes of a stretch by itself; `classes` is the number of distinct lines.
    pub(super) fn run_alone(
        &mut self,
        pair: &mut Pair<'_>,
        stretch: Stretch,
        classes: usize,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut counts = std::mem::take(&mut self.counts);
        let _charge = cancel.charge(classes * size_of::<[u32; 2]>())?;
        let more = classes.saturating_sub(counts.len());
        reserve(&mut counts, more)?;
        counts.resize(classes, [0; 2]);
        let sides = [&pair.ids[0][stretch.old.clone()], &pair.ids[1][stretch.new.clone()]];
        let mut pace = cancel.pace();
        for (side, ids) in sides.into_iter().enumerate() {
            for part in ids.chunks(QUANTUM) {
                pace.spend(part.len())?;
                part.iter().for_each(|&id| counts[id as usize][side] += 1);
            }
        }
        let count = |id: u32, side: Side| counts[id as usize][side as usize];
        self.run(pair, stretch, sides.map(<[u32]>::len), count, false, cancel)?;
        for part in sides.into_iter().flat_map(|ids| ids.chunks(QUANTUM)) {
            pace.spend(part.len())?;
            part.iter().for_each(|&id| counts[id as usize] = [0; 2]);
        }
        // The counts are reused only if they are all 0 again.
        self.counts = counts;
        Ok(())
    }

    /// Marks the changes of a stretch of sides that have `lines` lines in all, with each line
    /// `count` times.
    pub(super) fn run(
        &mut self,
        pair: &mut Pair<'_>,
        stretch: Stretch,
        lines: [usize; 2],
        count: impl Fn(u32, Side) -> u32,
        minimal: bool,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = cancel.pace();
        let (mut old, mut new) = (stretch.old, stretch.new);
        shrink(pair.ids, [&mut old, &mut new], &mut pace)?;
        let _charge = cancel.charge((old.len() + new.len()) * LINE_BYTES)?;
        let [changed_old, changed_new] = &mut pair.changed;
        let changed = [&mut changed_old[old.clone()], &mut changed_new[new.clone()]];
        let ids = [&pair.ids[0][old], &pair.ids[1][new]];
        for (side, other) in [Side::New, Side::Old].into_iter().enumerate() {
            let matches = |id| count(id, other);
            self.kept[side].choose(ids[side], lines[side], matches, changed[side], &mut pace)?;
        }
        let ([kept_old, kept_new], [changed_old, changed_new]) = (&self.kept, changed);
        self.search.run(
            &kept_old.ids,
            &kept_new.ids,
            minimal,
            |index| changed_old[kept_old.at[index] as usize] = true,
            |index| changed_new[kept_new.at[index] as usize] = true,
            cancel,
        )
    }
}
