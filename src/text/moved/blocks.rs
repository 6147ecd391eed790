//! The blocks of lines that were moved.
//!
//! A block is as long as a run on the other side goes on with the same lines. For each line, all
//! runs that end with it are extended from those that end with the line before, so a block that is
//! rejected is not read again: the work is one step for each pair of equal lines.

use std::ops::Range;

use redline_base::budget::Charge;

use super::equal_lines::EqualLines;
use super::item::{DiffItem, Mark, MovedMode};
use super::text_ids::LEAST_LETTERS;
use crate::cancel_token::{CancelToken, PacedToken, Stopped};

/// Marks the lines that were moved.
pub(super) fn mark(
    items: &[DiffItem],
    equal: &EqualLines,
    mode: MovedMode,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Mark>, Stopped> {
    let (mut marks, mut charge) = (Vec::new(), Charge::free());
    cancel.room(&mut charge, &mut marks, items.len())?;
    marks.resize(items.len(), Mark::default());
    let mut scan = Scan {
        items,
        equal,
        mode,
        marks,
        runs: Vec::new(),
        last_runs: Vec::new(),
        block: 0,
        charge,
        cancel,
        pace: cancel.pace(),
    };
    scan.mark_all()?;
    Ok(scan.marks)
}

/// A run on the other side that ends with the lines that end at the current one.
#[derive(Clone, Copy)]
struct Run {
    /// Its last line.
    at: u32,
    /// The number of its lines.
    lines: usize,
    /// The number of blank lines at its end.
    blanks: usize,
    /// The difference of its indentation, the same in all lines; `None` while all are blank.
    indent: Option<i64>,
}

impl Run {
    /// Returns the run with one more line: it begins later if the indentation differs in another
    /// way than before.
    fn extended(before: Option<&Self>, at: u32, indent: Option<i64>) -> Self {
        let (lines, blanks, kept) =
            before.map_or((0, 0, None), |run| (run.lines, run.blanks, run.indent));
        match (kept, indent) {
            (_, None) => Self { at, lines: lines + 1, blanks: blanks + 1, indent: kept },
            (Some(kept), Some(indent)) if kept != indent => {
                Self { at, lines: blanks + 1, blanks: 0, indent: Some(indent) }
            }
            _ => Self { at, lines: lines + 1, blanks: 0, indent },
        }
    }
}

struct Scan<'a> {
    items: &'a [DiffItem],
    equal: &'a EqualLines,
    mode: MovedMode,
    marks: Vec<Mark>,
    /// The runs that end with the current line, the last first.
    runs: Vec<Run>,
    /// Those that end with the line before.
    last_runs: Vec<Run>,
    /// The number of the last block.
    block: u32,
    charge: Charge,
    cancel: &'a CancelToken<'a>,
    pace: PacedToken<'a>,
}

impl Scan<'_> {
    fn mark_all(&mut self) -> Result<(), Stopped> {
        let mut at = 0;
        while at < self.items.len() {
            let end = self.end_of_lines(at)?;
            if self.mode == MovedMode::Plain {
                (at..end).for_each(|at| self.mark_alone(at));
            } else {
                self.mark_blocks(at..end)?;
            }
            at = end.max(at + 1);
        }
        Ok(())
    }

    /// Returns the end of the lines of one sign from `at` on that the other side has.
    fn end_of_lines(&mut self, at: usize) -> Result<usize, Stopped> {
        let kind = self.items[at].kind;
        let mut end = at;
        while let Some(item) = self.items.get(end)
            && item.kind == kind
            && self.equal.others(item).is_some()
        {
            self.pace.spend(1)?;
            end += 1;
        }
        Ok(end)
    }

    /// Cuts lines of one sign into blocks: each is as long as a run on the other side, and one with
    /// few letters and digits begins a line later.
    fn mark_blocks(&mut self, lines: Range<usize>) -> Result<(), Stopped> {
        let (mut start, mut letters, mut is_alternate) = (lines.start, 0, false);
        self.runs.clear();
        for at in lines.clone() {
            self.extend_runs(at)?;
            let longest = self.runs.iter().map(|run| run.lines).max().unwrap_or(1);
            if longest <= at - start {
                if letters >= LEAST_LETTERS {
                    std::mem::swap(&mut self.runs, &mut self.last_runs);
                    self.keep(start..at, is_alternate);
                    std::mem::swap(&mut self.runs, &mut self.last_runs);
                    (start, letters, is_alternate) = (at, 0, !is_alternate);
                } else {
                    let next = at + 1 - longest;
                    letters -= self.letters(start..next);
                    (start, is_alternate) = (next, false);
                }
            }
            letters += self.letters(at..at + 1);
        }
        if letters >= LEAST_LETTERS {
            self.keep(start..lines.end, is_alternate);
        }
        Ok(())
    }

    /// Finds the runs on the other side that end with a line, from those of the line before.
    fn extend_runs(&mut self, at: usize) -> Result<(), Stopped> {
        std::mem::swap(&mut self.runs, &mut self.last_runs);
        self.runs.clear();
        let item = &self.items[at];
        let mut last_runs = self.last_runs.iter().peekable();
        for place in self.equal.others(item).into_iter().flatten() {
            self.pace.spend(1)?;
            while last_runs.next_if(|run| run.at >= place).is_some() {
                self.pace.spend(1)?;
            }
            let before = last_runs.next_if(|run| run.at + 1 == place);
            self.cancel.room(&mut self.charge, &mut self.runs, 1)?;
            let indent = delta(item, &self.items[place as usize]);
            self.runs.push(Run::extended(before, place, indent));
        }
        Ok(())
    }

    fn letters(&self, lines: Range<usize>) -> u32 {
        self.items[lines].iter().map(|item| u32::from(item.letters)).sum()
    }

    /// Marks the lines of a block, which all current runs that are long enough have, too.
    fn keep(&mut self, lines: Range<usize>, is_alternate: bool) {
        self.block += 1;
        let whole = || self.runs.iter().filter(|run| run.lines >= lines.len());
        let first = whole().map(|run| run.at).min().unwrap_or(0);
        let candidates = whole().count() as u32;
        let is_alternate = is_alternate && self.mode != MovedMode::Blocks;
        for (mark, back) in self.marks[lines.clone()].iter_mut().rev().zip(0..) {
            *mark = Mark {
                is_moved: true,
                is_alternate,
                is_dimmed: false,
                block: self.block,
                partner: first - back,
                candidates,
            };
        }
    }

    /// Marks a line because of its text alone.
    fn mark_alone(&mut self, at: usize) {
        let (first, count) = self.equal.first_of_others(&self.items[at]);
        self.marks[at] =
            Mark { is_moved: true, partner: first, candidates: count, ..Mark::default() };
    }
}

/// Returns the difference of the indentations of two lines; `None` if both are blank.
fn delta(item: &DiffItem, other: &DiffItem) -> Option<i64> {
    Some(item.indent? - other.indent?)
}
