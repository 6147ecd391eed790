//! Which lines of a combined diff are shown: the rule of `--cc`, and context.

use redline_base::budget::{Gather, Grow, filled};
use std::ops::Range;

use super::{Combined, CombinedDiff, CombinedHunk, Parents};
use crate::cancel_token::{CancelToken, Stopped};
use crate::section::is_default_heading;

/// The lines of a result, and its end as one more.
struct Places<'d, 'a> {
    diff: &'d CombinedDiff<'a>,
    is_shown: Vec<bool>,
    /// Ranges before whose lines no lost lines are shown, in order.
    hidden: Vec<Range<usize>>,
    /// Lines of context.
    context: usize,
}

impl CombinedDiff<'_> {
    /// Returns the hunks that are shown.
    ///
    /// # Errors
    /// [`Stopped`] when `cancel` asks for it.
    pub fn hunks(
        &self,
        combined: Combined,
        context: Option<u32>,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<CombinedHunk>, Stopped> {
        let mut charge = redline_base::budget::Charge::free();
        let mut is_shown = Vec::new();
        cancel.room(&mut charge, &mut is_shown, self.added.len())?;
        is_shown.extend(self.added.iter().map(|parents| *parents != 0));
        self.lost.keys().for_each(|&place| is_shown[place] = true);
        cancel.check()?;
        // No text has as many lines as the largest context, so no sum wraps.
        let context = context.unwrap_or(u32::MAX) as usize;
        let mut places = Places { diff: self, is_shown, hidden: Vec::new(), context };
        if combined == Combined::Dense {
            places.leave_out_what_one_side_has();
        }
        cancel.check()?;
        places.add_context();
        places.hunks(cancel)
    }
}

impl Places<'_, '_> {
    fn len(&self) -> usize {
        self.is_shown.len()
    }

    /// Returns the first index from `at` on whose visibility is `is_shown`; the number of places if
    /// there is none.
    fn next(&self, at: usize, is_shown: bool) -> usize {
        let rest = self.is_shown.get(at..).unwrap_or_default();
        rest.iter().position(|&shown| shown == is_shown).map_or(self.len(), |further| at + further)
    }

    /// Returns where the context after a run begins: if the run's last line is there only for lost
    /// lines before it, that line is context.
    fn tail(&self, start: usize, end: usize) -> usize {
        end - usize::from(start < end && self.diff.added[end - 1] == 0)
    }

    /// Hides the hunks in which the result takes one side's version, with no third version nearby.
    fn leave_out_what_one_side_has(&mut self) {
        let mut start = self.next(0, true);
        while start < self.len() {
            let end = self.dense_end(start);
            if self.is_of_one_side(start..end) {
                self.is_shown[start..end].fill(false);
            }
            start = self.next(end, true);
        }
    }

    /// Returns the end of a hunk: the first hidden place with no shown one within the context after
    /// it.
    fn dense_end(&self, start: usize) -> usize {
        let mut end = self.next(start + 1, false);
        while end < self.len() {
            let reach = (self.tail(start, end) + self.context).min(self.len());
            let ahead = self.is_shown.get(end..reach).unwrap_or_default();
            match ahead.iter().rposition(|&shown| shown) {
                None => break,
                Some(further) => end = self.next(end + further + 1, false),
            }
        }
        end
    }

    /// Tells whether all lines of a hunk differ from the same parents, but not from all.
    fn is_of_one_side(&self, places: Range<usize>) -> bool {
        let mut found: Option<Parents> = None;
        let mut is_same = |parents: Parents| *found.get_or_insert(parents) == parents;
        for place in places {
            let added = self.diff.added[place];
            let lost = self.diff.lost(place);
            if (added != 0 && !is_same(added)) || !lost.iter().all(|line| is_same(line.parents)) {
                return false;
            }
        }
        found != Some(self.diff.all_parents())
    }

    /// Shows the context around shown places, and gaps shorter than it.
    fn add_context(&mut self) {
        let mut start = self.next(0, true);
        while start < self.len() {
            let before = start.saturating_sub(self.context);
            // Lines that are already shown, as context of the hunk above, keep their lost lines.
            let hidden = self.next(before, false).min(start);
            self.is_shown[before..start].fill(true);
            if hidden < start {
                self.hidden.add(hidden..start);
            }
            loop {
                let end = self.next(start, false);
                if end == self.len() {
                    return;
                }
                let next = self.next(end, true);
                let tail = self.tail(start, end);
                if next < tail + self.context && next < self.len() {
                    self.is_shown[tail..next].fill(true);
                    start = next;
                    continue;
                }
                let after = (tail + self.context).min(self.len());
                self.is_shown[tail.min(after)..after].fill(true);
                start = next;
                break;
            }
        }
    }

    /// Returns the runs of shown places.
    fn hunks(self, cancel: &CancelToken<'_>) -> Result<Vec<CombinedHunk>, Stopped> {
        let diff = self.diff;
        let lines = diff.result.len();
        let mut next = filled(1, diff.parents);
        let (mut hunks, mut end) = (Vec::new(), 0);
        let mut hidden = self.hidden.iter().cloned().peekable();
        let mut pace = cancel.pace();
        loop {
            let start = self.next(end, true);
            let is_heading = |&line: &usize| is_default_heading(diff.result.get(line));
            let heading = (end..start.min(lines)).rev().find(is_heading);
            (end..start).for_each(|place| diff.pass(place, &mut next));
            pace.spend((start - end) * diff.parents)?;
            if start == self.len() {
                return Ok(hunks);
            }
            end = self.next(start, false);
            let mut parents: Vec<(u32, u32)> = next.iter().map(|&first| (first, 0)).gather();
            (start..end).for_each(|place| diff.pass(place, &mut next));
            pace.spend((end - start) * diff.parents)?;
            let has_context = self.context > 0;
            let is_left_out = |place: &usize| !has_context && diff.added[*place] == 0;
            // git counts the end of the text as one of them.
            let left_out = (start..end).filter(is_left_out).count() as u32;
            parents.iter_mut().zip(&next).for_each(|(lines, next)| lines.1 = next - lines.0);
            let shown = (end.min(lines) - start) as u32;
            let hidden = std::iter::from_fn(|| hidden.next_if(|range| range.start < end));
            hunks.add(CombinedHunk {
                parents,
                new: (start as u32 + 1, shown),
                places: start..end,
                hidden: hidden.gather(),
                heading,
                left_out,
                has_context,
            });
        }
    }
}

impl CombinedDiff<'_> {
    /// Counts a place for the parents that have its line or lost lines before it.
    fn pass(&self, place: usize, next: &mut [u32]) {
        for line in self.lost(place) {
            for (number, next) in next.iter_mut().enumerate() {
                *next += (line.parents >> number & 1) as u32;
            }
        }
        if place < self.result.len() {
            for (number, next) in next.iter_mut().enumerate() {
                *next += u32::from(self.added[place] >> number & 1 == 0);
            }
        }
    }
}
