//! Finds the changed lines between two texts, exactly as git does.
//!
//! The steps are git's, each in its own file: lines are rewritten if whitespace is to be ignored
//! (`whitespace`), numbered by content (`intern`), pruned of unmatched lines (`prune`), searched (`myers`,
//! `patience`, `histogram`), and the changes are slid to their most readable place (`compact`).
//! git's behaviour is known from its documentation, from the papers named in each file, and from
//! comparing this engine with it (`test/rust/text/engine_parity`).

mod classic;
mod compact;
mod histogram;
mod indent;
mod intern;
mod myers;
mod numbered;
mod options;
mod patience;
mod prune;
mod sides;
mod tail;
mod whitespace;

use std::ops::Range;

use self::classic::{Classic, Pair, Stretch};
use self::compact::{ChangedRun, Content, compact, unchanged_before};
use self::histogram::Histogram;
use self::intern::{Interner, equal};
use self::patience::Patience;
use self::tail::common_tail;
use self::whitespace::{Keys, is_blank};
pub(super) use numbered::{NumberedEngine, Numbers};
pub use options::{Algorithm, Change, Options, Whitespace};
pub(super) use whitespace::{is_space, without_trailing_space};

use super::cancel_token::refill;
pub use super::cancel_token::{CancelToken, Stopped};
use super::lines::{Lines, View};
use redline_base::budget::{Charge, reserve};

/// A diff with reusable buffers: worth keeping to compare many pairs.
#[derive(Debug, Default)]
pub struct Engine {
    keys: [Keys; 2],
    interner: Interner,
    /// The class numbers of the interned lines.
    ids: [Vec<u32>; 2],
    /// Which of those lines are changed.
    changed: [Vec<bool>; 2],
    classic: Classic,
    patience: Patience,
    histogram: Histogram,
}

/// Lines of a pair up to which an engine keeps its buffers for the next one.
const KEPT_LINES: usize = 1 << 20;

impl Engine {
    /// Returns the changes from `old` to `new` in order, or `Stopped` if the query ended.
    pub fn diff(
        &mut self,
        old: &Lines<'_>,
        new: &Lines<'_>,
        options: &Options,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Change>, Stopped> {
        self.diff_between(old, new, None, options, cancel)
    }

    /// Returns the same; the numbers of `common` lines at the start and at the end may be known.
    pub(super) fn diff_between(
        &mut self,
        old: &Lines<'_>,
        new: &Lines<'_>,
        common: Option<(usize, usize)>,
        options: &Options,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Change>, Stopped> {
        cancel.check()?;
        let mut texts = [old.view(), new.view()];
        if options.trim_tail {
            let tail = common_tail(old.bytes(), new.bytes(), cancel)?;
            texts = texts.map(|text| text.up_to(text.bytes().len() - tail));
        }
        // The keys are moved out while the engine is borrowed as a whole, then back with their
        // buffers.
        let rewritten = |text: &View<'_>| text.bytes().len() + text.len() * size_of::<u32>();
        let _charge = match options.whitespace {
            Whitespace::Exact => Charge::free(),
            _ => cancel.charge(texts.iter().map(rewritten).sum())?,
        };
        let mut keys = std::mem::take(&mut self.keys);
        let result = if options.whitespace == Whitespace::Exact {
            self.diff_by_keys(texts, texts, common.filter(|_| !options.trim_tail), options, cancel)
        } else {
            (keys.iter_mut().zip(&texts))
                .try_for_each(|(keys, text)| keys.fill(text, options.whitespace, cancel))
                .and_then(|()| {
                    self.diff_by_keys(
                        texts,
                        [keys[0].view(), keys[1].view()],
                        None,
                        options,
                        cancel,
                    )
                })
        };
        self.keys = keys;
        // Buffers of a usual size are reused.
        if texts.iter().map(View::len).sum::<usize>() > KEPT_LINES {
            *self = Self::default();
        }
        self.interner.rest();
        result
    }

    /// Compares lines by `keys` and slides changes by `texts`; the numbers of `common` lines at the
    /// start and at the end may be known.
    fn diff_by_keys(
        &mut self,
        texts: [View<'_>; 2],
        keys: [View<'_>; 2],
        common: Option<(usize, usize)>,
        options: &Options,
        cancel: &CancelToken<'_>,
    ) -> Result<Vec<Change>, Stopped> {
        // Patience and histogram count the lines of whole texts, so equal ends must not be removed.
        let whole = matches!(options.algorithm, Algorithm::Patience | Algorithm::Histogram);
        let (start, end) = match common {
            _ if whole => (0, 0),
            Some(common) => common,
            None => common_ends(keys, cancel)?,
        };
        let middle = keys[0].len() + keys[1].len() - 2 * (start + end);
        let _charge = cancel.charge(middle * (size_of::<u32>() + size_of::<bool>()))?;
        self.number(keys, start, end, cancel)?;
        self.search(keys, options.algorithm, cancel)?;

        let old_runs = runs_of(&self.changed[0], start as u32, cancel)?;
        let new_runs = runs_of(&self.changed[1], start as u32, cancel)?;
        let content = [0, 1].map(|side| Content {
            text: texts[side],
            keys: keys[side],
            lines: keys[side].len(),
            ids: &self.ids[side],
            first: start,
            is_lowest: options.is_lowest,
        });
        let old_runs = compact(&old_runs, &new_runs, &content[0], cancel)?;
        let new_runs = compact(&new_runs, &old_runs, &content[1], cancel)?;
        let mut changes = pair_up(&old_runs, &new_runs, cancel)?;
        if options.ignore_blank_lines {
            mark_ignorable(&mut changes, texts, options.whitespace, cancel)?;
        }
        Ok(changes)
    }

    /// Numbers the lines between the common ends.
    fn number(
        &mut self,
        keys: [View<'_>; 2],
        start: usize,
        end: usize,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        let mut pace = cancel.pace();
        let middle = keys.map(|keys| start..keys.len() - end);
        for (side, middle) in middle.iter().enumerate() {
            self.ids[side].clear();
            refill(&mut self.changed[side], middle.len(), false)?;
        }
        // If one side is empty, there is nothing to search.
        if middle.iter().any(Range::is_empty) {
            self.changed.iter_mut().for_each(|changed| changed.fill(true));
            return Ok(());
        }
        let [old, new] = middle;
        self.interner.clear(old.len() + new.len(), cancel)?;
        let [old_ids, new_ids] = &mut self.ids;
        self.interner.add_old(keys, old.clone(), old_ids, &mut pace)?;
        self.interner.add_new(keys, new.clone(), (old.start, old_ids), new_ids, &mut pace)?;
        // The number of occurrences in the whole text matters.
        self.interner.count_shared(keys, 0..start, &mut pace)?;
        self.interner.count_shared(keys, old.end..keys[0].len(), &mut pace)
    }

    fn search(
        &mut self,
        keys: [View<'_>; 2],
        algorithm: Algorithm,
        cancel: &CancelToken<'_>,
    ) -> Result<(), Stopped> {
        if self.ids.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let [changed_old, changed_new] = &mut self.changed;
        let mut pair =
            Pair { ids: [&self.ids[0], &self.ids[1]], changed: [changed_old, changed_new] };
        let classes = self.interner.len();
        match algorithm {
            Algorithm::Patience => self.patience.run(&mut pair, classes, &mut self.classic, cancel),
            Algorithm::Histogram => {
                self.histogram.run(&mut pair, classes, &mut self.classic, cancel)
            }
            Algorithm::Myers | Algorithm::Minimal => {
                let stretch = Stretch { old: 0..self.ids[0].len(), new: 0..self.ids[1].len() };
                let count = |id, side| self.interner.count(id, side);
                let minimal = algorithm == Algorithm::Minimal;
                let lines = keys.map(|keys| keys.len());
                self.classic.run(&mut pair, stretch, lines, count, minimal, cancel)
            }
        }
    }
}

/// Returns the numbers of equal lines at the start, and at the end of the rest.
fn common_ends(
    [old, new]: [View<'_>; 2],
    cancel: &CancelToken<'_>,
) -> Result<(usize, usize), Stopped> {
    let mut pace = cancel.pace();
    let shorter = old.len().min(new.len());
    let mut start = 0;
    while start < shorter && equal(old.get(start), new.get(start), &mut pace)? {
        start += 1;
        pace.spend(1)?;
    }
    let mut end = 0;
    while end < shorter - start
        && equal(old.get(old.len() - 1 - end), new.get(new.len() - 1 - end), &mut pace)?
    {
        end += 1;
        pace.spend(1)?;
    }
    Ok((start, end))
}

/// Returns the runs of changed lines; line 0 has number `first`.
fn runs_of(
    changed: &[bool],
    first: u32,
    cancel: &CancelToken<'_>,
) -> Result<Vec<ChangedRun>, Stopped> {
    let mut pace = cancel.pace();
    let mut runs = Vec::new();
    let mut charge = Charge::free();
    let mut line = first;
    for run in changed.chunk_by(|a, b| a == b) {
        let start = line;
        line += run.len() as u32;
        if run[0] {
            cancel.room(&mut charge, &mut runs, 1)?;
            runs.push(ChangedRun { start, end: line });
        }
        pace.spend(run.len())?;
    }
    Ok(runs)
}

/// Joins the runs of both sides that have the same number of unchanged lines before them.
fn pair_up(
    old: &[ChangedRun],
    new: &[ChangedRun],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>, Stopped> {
    let mut pace = cancel.pace();
    let mut changes = Vec::new();
    let _charge = cancel.charge(old.len().max(new.len()) * size_of::<Change>())?;
    reserve(&mut changes, old.len().max(new.len()))?;
    let mut old = unchanged_before(old).zip(old).peekable();
    let mut new = unchanged_before(new).zip(new).peekable();
    // The changed lines so far: the difference between the number and the rank of an unchanged
    // line.
    let (mut removed, mut added) = (0, 0);
    while let Some(before) =
        [old.peek(), new.peek()].into_iter().flatten().map(|&(before, _)| before).min()
    {
        let removed_here =
            old.next_if(|&(at, _)| at == before).map_or(0, |(_, run)| run.end - run.start);
        let added_here =
            new.next_if(|&(at, _)| at == before).map_or(0, |(_, run)| run.end - run.start);
        reserve(&mut changes, 1)?;
        changes.push(Change {
            old: before + removed..before + removed + removed_here,
            new: before + added..before + added + added_here,
            ignorable: false,
        });
        removed += removed_here;
        added += added_here;
        pace.spend(1)?;
    }
    Ok(changes)
}

/// Marks the changes that remove and add only blank lines.
fn mark_ignorable(
    changes: &mut [Change],
    [old, new]: [View<'_>; 2],
    whitespace: Whitespace,
    cancel: &CancelToken<'_>,
) -> Result<(), Stopped> {
    let mut pace = cancel.pace();
    for change in changes {
        change.ignorable = true;
        for (text, lines) in [(old, change.old.clone()), (new, change.new.clone())] {
            for line in lines {
                if !is_blank(text.get(line as usize), whitespace, &mut pace)? {
                    change.ignorable = false;
                    break;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
