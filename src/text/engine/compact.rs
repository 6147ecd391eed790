//! Slides runs of changed lines to their most readable place.
//!
//! A run may move down a line if the line after it equals its first line, and up if the line before
//! it equals its last: the edit is as short and the texts are the same. git chooses the lowest
//! place that faces a run of the other side, so that a replacement is shown as one; else the best
//! by indentation (see [`super::indent`]). Runs that meet on the way are joined.
//!
//! A run is stored by its lines, and placed against the other side by the number of unchanged lines
//! before it, which both sides share. The work is linear in the passed lines, wherever the runs
//! are.

use super::indent::Badness;
use super::intern::equal;
use crate::cancel_token::{CancelToken, PacedToken, Stopped};
use crate::lines::View;
use redline_base::budget::{Grow, reserve};

/// Indentation is compared for this many places at most, the lowest ones.
const MAX_PLACES: u32 = 100;

/// Changed lines of one side, from `start` to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangedRun {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl ChangedRun {
    const fn len(self) -> u32 {
        self.end - self.start
    }
}

/// The lines of one side, in several forms.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    /// The lines as they are, for indentation.
    pub(super) text: View<'a>,
    /// The lines in the form that is compared.
    pub(super) keys: View<'a>,
    /// How many there are.
    pub(super) lines: usize,
    /// The class numbers of a range of lines.
    pub(super) ids: &'a [u32],
    /// The first line of that range.
    pub(super) first: usize,
    /// Whether runs stay at their lowest place.
    pub(super) is_lowest: bool,
}

impl Content<'_> {
    #[inline]
    fn equal(&self, a: u32, b: u32, pace: &mut PacedToken<'_>) -> Result<bool, Stopped> {
        let id = |line: u32| self.ids.get((line as usize).wrapping_sub(self.first));
        match (id(a), id(b)) {
            (Some(a), Some(b)) => Ok(a == b),
            _ => equal(self.keys.get(a as usize), self.keys.get(b as usize), pace),
        }
    }
}

/// Slides each of `runs`, which are sorted and disjoint, against those of the other side.
pub(super) fn compact(
    runs: &[ChangedRun],
    others: &[ChangedRun],
    content: &Content<'_>,
    cancel: &CancelToken<'_>,
) -> Result<Vec<ChangedRun>, Stopped> {
    let mut pace = cancel.pace();
    let _charge = cancel.charge(size_of_val(others) + size_of_val(runs))?;
    let (mut facing, mut settled) = (Vec::new(), Vec::new());
    reserve(&mut facing, others.len())?;
    facing.extend(unchanged_before(others));
    reserve(&mut settled, runs.len())?;
    let mut slider = Slider { content, settled, settled_lines: 0, waiting: runs };
    while let Some((&run, rest)) = slider.waiting.split_first() {
        slider.waiting = rest;
        let run = slider.place(run, &facing, &mut pace)?;
        slider.settled_lines += run.len();
        slider.settled.add(run);
        pace.spend(1)?;
    }
    Ok(slider.settled)
}

/// Returns for each run the number of unchanged lines before it.
pub(super) fn unchanged_before(runs: &[ChangedRun]) -> impl Iterator<Item = u32> {
    runs.iter().scan(0, |changed, run| {
        let before = run.start - *changed;
        *changed += run.len();
        Some(before)
    })
}

struct Slider<'a> {
    content: &'a Content<'a>,
    /// The placed runs, and the sum of their lines.
    settled: Vec<ChangedRun>,
    settled_lines: u32,
    /// The runs below the current one.
    waiting: &'a [ChangedRun],
}

impl Slider<'_> {
    /// Moves `run` to its place and joins it with the runs it meets.
    fn place(
        &mut self,
        mut run: ChangedRun,
        facing: &[u32],
        pace: &mut PacedToken<'_>,
    ) -> Result<ChangedRun, Stopped> {
        let (size, highest) = loop {
            let size = run.len();
            self.slide_up(&mut run, pace)?;
            let highest = run.end;
            self.slide_down(&mut run, pace)?;
            if run.len() == size {
                break (size, highest);
            }
        };
        let slack = run.end - highest;
        if slack == 0 {
            return Ok(run);
        }
        let before = run.start - self.settled_lines;
        let faced = facing
            .partition_point(|&other| other <= before)
            .checked_sub(1)
            .map(|last| before - facing[last]);
        let up = match faced {
            Some(up) if up <= slack => up,
            _ if self.content.is_lowest => 0,
            _ => self.best_by_indent(run, slack.min(size + 1).min(MAX_PLACES), pace)?,
        };
        Ok(ChangedRun { start: run.start - up, end: run.end - up })
    }

    fn slide_up(&mut self, run: &mut ChangedRun, pace: &mut PacedToken<'_>) -> Result<(), Stopped> {
        while run.start > 0 && self.content.equal(run.start - 1, run.end - 1, pace)? {
            run.start -= 1;
            run.end -= 1;
            if let Some(above) = self.settled.pop_if(|above| above.end == run.start) {
                self.settled_lines -= above.len();
                run.start = above.start;
            }
            pace.spend(1)?;
        }
        Ok(())
    }

    fn slide_down(
        &mut self,
        run: &mut ChangedRun,
        pace: &mut PacedToken<'_>,
    ) -> Result<(), Stopped> {
        let lines = self.content.lines as u32;
        while run.end < lines && self.content.equal(run.start, run.end, pace)? {
            run.start += 1;
            run.end += 1;
            if let Some((below, rest)) = self.waiting.split_first()
                && below.start == run.end
            {
                run.end = below.end;
                self.waiting = rest;
            }
            pace.spend(1)?;
        }
        Ok(())
    }

    /// Returns how far above its lowest place, at most `slack`, the run is most readable; the
    /// lowest of equals wins.
    fn best_by_indent(
        &self,
        run: ChangedRun,
        slack: u32,
        pace: &mut PacedToken<'_>,
    ) -> Result<u32, Stopped> {
        let mut best: Option<(Badness, u32)> = None;
        for up in (0..=slack).rev() {
            let (start, end) = ((run.start - up) as usize, (run.end - up) as usize);
            let badness = Badness::of_run(&self.content.text, start, end, pace)?;
            if best.is_none_or(|(least, _)| badness.weigh(least).is_le()) {
                best = Some((badness, up));
            }
            pace.spend(64)?;
        }
        Ok(best.map_or(0, |(_, up)| up))
    }
}
