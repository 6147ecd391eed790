//! The combined diff of a text and several versions of it: a merge and its parents.
//!
//! | file | holds |
//! |---|---|
//! | `lost` | lost lines, those of several parents merged into one list |
//! | `shown` | which lines are shown: the rule of `--cc`, and context |
//! | `write` | the hunks in git's format |
//!
//! Source: the output of `git diff-tree -c` and `--cc`, described in the manual of `git diff` under
//! "Combined diff format".

mod lost;
mod shown;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;

use super::cancel_token::{CancelToken, Stopped};
use super::diff::{Diff, DiffOptions, LineKind};
use super::engine::{Engine, Whitespace};
use super::lines::Lines;
use lost::{LostLine, Parents};
use redline_base::budget::{Charge, GrowMap, reserve};
use redline_base::error::{Error, Result};
use redline_base::limits;

pub use write::{marks, write_hunk};

/// How the diffs of a merge with its parents are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combined {
    /// `--cc`: omits hunks that only take over one side's version.
    Dense,
    /// `-c`: shows all hunks.
    All,
}

/// The content of a parent.
#[derive(Debug, Clone, Copy)]
pub enum Parent<'a> {
    /// This text.
    Text(&'a [u8]),
    /// The same as an earlier parent, given by its index.
    As(usize),
}

/// A text, and for each parent the lines added to it and lost from it.
#[derive(Debug)]
pub struct CombinedDiff<'a> {
    result: Lines<'a>,
    parents: usize,
    /// For each line the parents that lack it; the last entry is the end of the text, with none.
    added: Vec<Parents>,
    /// The lost lines, by the index of the result's line that follows them.
    lost: BTreeMap<usize, Vec<LostLine<'a>>>,
    charge: Charge,
}

/// Lines that are shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CombinedHunk {
    /// First line and count in each parent.
    pub parents: Vec<(u32, u32)>,
    /// First line and count in the result.
    pub new: (u32, u32),
    /// The lines of the result, 0-based; the end of the text counts as one more.
    places: Range<usize>,
    /// Those of them before which lost lines are hidden, in order.
    hidden: Vec<Range<usize>>,
    /// The line of the result that is the heading.
    heading: Option<usize>,
    /// The number of unchanged lines that are counted but not shown, without context.
    left_out: u32,
    /// Whether unchanged lines are shown.
    has_context: bool,
}

/// A line of a combined diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CombinedLine<'a> {
    /// Context, removed or added.
    pub kind: LineKind,
    /// Its bytes without a terminator.
    pub content: &'a [u8],
    /// The parents whose diff has the line, one bit each.
    pub marked: u64,
    /// Its number in the first parent, 1-based.
    pub old: Option<u32>,
    /// Its number in the result, 1-based.
    pub new: Option<u32>,
}

impl<'a> CombinedDiff<'a> {
    /// Compares a text with each of its parents.
    ///
    /// # Errors
    /// `too_large` for more parents than git's format allows, and for texts that git would not
    /// compare; the reason why the query ended.
    pub fn new(
        engine: &mut Engine,
        parents: &[Parent<'a>],
        result: &'a [u8],
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        if parents.len() > limits::COMBINED_PARENTS {
            return Err(Error::too_large(format!(
                "a merge has {} parents, and a combined diff has at most {}",
                parents.len(),
                limits::COMBINED_PARENTS
            ))
            .with_hint("Compare it with one parent at a time"));
        }
        let lines = Lines::split(result, cancel)?;
        let (mut added, mut charge) = (Vec::new(), Charge::free());
        cancel.room(&mut charge, &mut added, lines.len() + 1)?;
        added.resize(lines.len() + 1, 0);
        let mut combined =
            Self { result: lines, parents: parents.len(), added, lost: BTreeMap::new(), charge };
        let options = DiffOptions { context: Some(0), inter_hunk_context: 0, ..options.clone() };
        for (number, parent) in parents.iter().enumerate() {
            match *parent {
                Parent::As(earlier) => combined.copy(earlier, number),
                Parent::Text(text) => {
                    let diff = Diff::new(engine, text, result, &options, cancel)?;
                    combined.add(&diff, 1 << number, options.whitespace, cancel)?;
                }
            }
        }
        Ok(combined)
    }

    /// Adds the diff with a parent.
    fn add(
        &mut self,
        diff: &Diff<'a>,
        parent: Parents,
        whitespace: Whitespace,
        cancel: &CancelToken<'_>,
    ) -> std::result::Result<(), Stopped> {
        let mut pace = cancel.pace();
        let held =
            |lines: usize| size_of::<Vec<LostLine<'_>>>() + lines * size_of::<LostLine<'_>>();
        let bytes = diff.hunks().iter().map(|hunk| held(hunk.old.len())).sum();
        self.charge.join(cancel.charge(bytes)?);
        for hunk in diff.hunks() {
            let new = hunk.new.start as usize..hunk.new.end as usize;
            self.added[new.clone()].iter_mut().for_each(|parents| *parents |= parent);
            pace.spend(new.len() + hunk.old.len())?;
            if hunk.old.is_empty() {
                continue;
            }
            let mut lines = Vec::new();
            reserve(&mut lines, hunk.old.len())?;
            lines.extend(hunk.old.clone().map(|line| {
                let content = without_newline(diff.old_lines().get(line as usize));
                LostLine { content, parents: parent }
            }));
            let before = self.lost.remove(&new.start).unwrap_or_default();
            let merged = lost::merged(before, lines, whitespace, cancel)?;
            self.lost.put(new.start, merged);
        }
        Ok(())
    }

    /// Adds a parent with the same content as an earlier one.
    fn copy(&mut self, earlier: usize, number: usize) {
        let lost = self.lost.values_mut().flatten().map(|line| &mut line.parents);
        for parents in self.added.iter_mut().chain(lost) {
            *parents |= (*parents >> earlier & 1) << number;
        }
    }

    /// Returns the number of parents.
    #[must_use]
    pub fn parents(&self) -> usize {
        self.parents
    }

    /// Returns the lost lines before a line of the result.
    fn lost(&self, place: usize) -> &[LostLine<'a>] {
        self.lost.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Returns the set of all parents.
    fn all_parents(&self) -> Parents {
        (1 << self.parents) - 1
    }

    /// Passes the lines of a hunk to `show`, in order.
    ///
    /// # Errors
    /// The error that `show` returns.
    pub fn each_line<E>(
        &self,
        hunk: &CombinedHunk,
        mut show: impl FnMut(CombinedLine<'a>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut old = hunk.parents.first().map_or(1, |&(first, _)| first);
        let mut next = |is_there: bool| {
            let number = is_there.then_some(old);
            old += u32::from(is_there);
            number
        };
        let mut hidden = hunk.hidden.iter().peekable();
        for place in hunk.places.clone() {
            while hidden.next_if(|range| range.end <= place).is_some() {}
            let is_hidden = hidden.peek().is_some_and(|range| range.contains(&place));
            for &LostLine { content, parents: marked } in self.lost(place) {
                let old = next(marked & 1 != 0);
                if !is_hidden {
                    show(CombinedLine {
                        kind: LineKind::Removed,
                        content,
                        marked,
                        old,
                        new: None,
                    })?;
                }
            }
            if place == self.result.len() {
                break;
            }
            let marked = self.added[place];
            let old = next(marked & 1 == 0);
            if marked == 0 && !hunk.has_context {
                continue;
            }
            let kind = if marked == 0 { LineKind::Context } else { LineKind::Added };
            let content = without_newline(self.result.get(place));
            let new = Some(place as u32 + 1);
            show(CombinedLine { kind, content, marked, old, new })?;
        }
        Ok(())
    }
}

/// Returns a line without its terminator.
fn without_newline(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

#[cfg(test)]
mod tests;
