//! The diff of two texts: the only caller of the line-diff engine.

use super::cancel_token::CancelToken;
use super::common_ends::CommonEnds;
use super::engine::{self, Algorithm, Change, Engine, Whitespace};
use super::hunk::{Hunk, hunks};
use super::lines::Lines;
use redline_base::error::Result;

/// How two texts are compared, and how much context is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffOptions {
    /// Unchanged lines around a change; `None` is the whole text.
    pub context: Option<u32>,
    /// Hunks with at most this many lines between their contexts are joined.
    pub inter_hunk_context: u32,
    /// The algorithm that finds matching lines.
    pub algorithm: Algorithm,
    /// Which whitespace is ignored.
    pub whitespace: Whitespace,
    /// Whether changes of only blank lines are omitted unless another change is near.
    pub ignore_blank_lines: bool,
}

impl DiffOptions {
    /// git's default context, in lines.
    pub const CONTEXT: u32 = 3;
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            context: Some(Self::CONTEXT),
            inter_hunk_context: 0,
            algorithm: Algorithm::default(),
            whitespace: Whitespace::default(),
            ignore_blank_lines: false,
        }
    }
}

/// Two texts, their changes, and the hunks that show them.
#[derive(Debug)]
pub struct Diff<'a> {
    old: Lines<'a>,
    new: Lines<'a>,
    changes: Vec<Change>,
    hunks: Vec<Hunk>,
}

/// Returns the changed runs of lines, as git finds them without context.
///
/// # Errors
/// `too_large` for a text that git would not compare; the reason why the query ended.
pub fn line_changes(
    engine: &mut Engine,
    old: &[u8],
    new: &[u8],
    whitespace: Whitespace,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let options = engine::Options { whitespace, trim_tail: true, ..engine::Options::default() };
    let (old, new) = (Lines::split(old, cancel)?, Lines::split(new, cancel)?);
    Ok(engine.diff(&old, &new, &options, cancel)?)
}

/// Does the same without the indent heuristic.
///
/// # Errors
/// As [`line_changes`].
pub fn plain_line_changes(
    engine: &mut Engine,
    old: &[u8],
    new: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let options =
        engine::Options { trim_tail: true, is_lowest: true, ..engine::Options::default() };
    let (old, new) = (Lines::split(old, cancel)?, Lines::split(new, cancel)?);
    Ok(engine.diff(&old, &new, &options, cancel)?)
}

/// Returns the changed runs of lines, as git's merges find them: in whole texts, without the indent
/// heuristic.
///
/// # Errors
/// The reason why the query ended.
pub(super) fn lowest_line_changes(
    engine: &mut Engine,
    old: &Lines<'_>,
    new: &Lines<'_>,
    algorithm: Algorithm,
    cancel: &CancelToken<'_>,
) -> Result<Vec<Change>> {
    let options = engine::Options { algorithm, is_lowest: true, ..engine::Options::default() };
    Ok(engine.diff(old, new, &options, cancel)?)
}

/// The kind of a line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// In both texts.
    Context,
    /// In the old text only.
    Removed,
    /// In the new text only.
    Added,
}

impl LineKind {
    /// Returns the kind of a line with this sign before it; `None` for another sign.
    pub fn of(sign: u8) -> Option<Self> {
        [Self::Context, Self::Removed, Self::Added].into_iter().find(|kind| kind.sign() == sign)
    }

    /// Tells whether a line of this kind is in the old text.
    pub fn is_old(self) -> bool {
        self != Self::Added
    }

    /// Tells whether a line of this kind is in the new text.
    pub fn is_new(self) -> bool {
        self != Self::Removed
    }

    /// Returns the sign before the line in a diff.
    pub(super) const fn sign(self) -> u8 {
        match self {
            Self::Context => b' ',
            Self::Removed => b'-',
            Self::Added => b'+',
        }
    }
}

/// A line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffLine<'a> {
    /// Context, removed or added.
    pub kind: LineKind,
    /// Its bytes with their terminator; the last line of a text may lack one.
    pub content: &'a [u8],
    /// Its number in the old text, 1-based.
    pub old: Option<u32>,
    /// Its number in the new text, 1-based.
    pub new: Option<u32>,
}

impl<'a> Diff<'a> {
    /// Compares two texts.
    pub fn new(
        engine: &mut Engine,
        old: &'a [u8],
        new: &'a [u8],
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let (old, new) = (Lines::split(old, cancel)?, Lines::split(new, cancel)?);
        Self::of_lines(engine, old, new, None, options, cancel)
    }

    /// Compares two texts with known common ends; requires an exact comparison of whitespace.
    pub(super) fn with_ends(
        engine: &mut Engine,
        old: &'a [u8],
        new: &'a [u8],
        ends: CommonEnds,
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let old = Lines::split(old, cancel)?;
        let (new, common) = Lines::split_beside(new, &old, ends, cancel)?;
        Self::of_lines(engine, old, new, Some(common), options, cancel)
    }

    fn of_lines(
        engine: &mut Engine,
        old: Lines<'a>,
        new: Lines<'a>,
        common: Option<(usize, usize)>,
        options: &DiffOptions,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let engine_options = engine::Options {
            // Without context, git drops a common tail before it compares.
            trim_tail: options.context == Some(0),
            algorithm: options.algorithm,
            whitespace: options.whitespace,
            ignore_blank_lines: options.ignore_blank_lines,
            is_lowest: false,
        };
        let changes = engine.diff_between(&old, &new, common, &engine_options, cancel)?;
        // Line numbers fit: `Lines` rejects texts whose lines 32 bits could not count.
        let (old_length, new_length) = (old.len() as u32, new.len() as u32);
        let hunks = hunks(
            &changes,
            old_length,
            new_length,
            options.context,
            options.inter_hunk_context,
            cancel,
        )?;
        Ok(Self { old, new, changes, hunks })
    }

    /// Returns the number of added lines in the hunks.
    pub fn additions(&self) -> u64 {
        self.shown().map(|change| u64::from(change.new.end - change.new.start)).sum()
    }

    /// Returns the number of removed lines in the hunks.
    pub fn deletions(&self) -> u64 {
        self.shown().map(|change| u64::from(change.old.end - change.old.start)).sum()
    }

    fn shown(&self) -> impl Iterator<Item = &Change> {
        self.hunks.iter().flat_map(|hunk| &self.changes[hunk.changes.clone()])
    }

    /// Returns an upper bound of the bytes of all written hunks, without headings.
    pub fn written_bytes(&self) -> usize {
        const HEADER: usize = 64;
        const MARKS: usize = 32;
        let of = |lines: &Lines<'_>, range: &std::ops::Range<u32>| {
            let (start, end) = (range.start as usize, range.end as usize);
            lines.start(end) - lines.start(start) + (end - start) + MARKS
        };
        let removed = |hunk: &Hunk| {
            self.changes[hunk.changes.clone()].iter().map(|change| of(&self.old, &change.old))
        };
        self.hunks
            .iter()
            .map(|hunk| HEADER + of(&self.new, &hunk.new) + removed(hunk).sum::<usize>())
            .sum()
    }

    /// Returns the hunks in order.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Returns the old text's lines.
    pub fn old_lines(&self) -> &Lines<'a> {
        &self.old
    }

    /// Returns the lines of a hunk: at each change the removed lines, then the added ones.
    pub fn lines<'d>(&'d self, hunk: &Hunk) -> impl Iterator<Item = DiffLine<'a>> + use<'d, 'a> {
        let changes = &self.changes[hunk.changes.clone()];
        let mut at = (hunk.old.start, hunk.new.start);
        let end = hunk.new.end;
        let pieces = changes.iter().map(Some).chain([None]);
        pieces.flat_map(move |change| {
            let (old, new) = at;
            // Context lines are those of the new side, as in git.
            let context_end = change.map_or(end, |change| change.new.start);
            let context = (new..context_end)
                .map(move |line| (LineKind::Context, Some(old + (line - new)), Some(line)));
            let (removed, added) =
                change.map_or((0..0, 0..0), |change| (change.old.clone(), change.new.clone()));
            if let Some(change) = change {
                at = (change.old.end, change.new.end);
            }
            let removed = removed.map(|line| (LineKind::Removed, Some(line), None));
            let added = added.map(|line| (LineKind::Added, None, Some(line)));
            context.chain(removed).chain(added).map(|(kind, old, new)| {
                let content = match (old, new) {
                    (_, Some(line)) => self.new.get(line as usize),
                    (Some(line), None) => self.old.get(line as usize),
                    (None, None) => &[],
                };
                DiffLine {
                    kind,
                    content,
                    old: old.map(|line| line + 1),
                    new: new.map(|line| line + 1),
                }
            })
        })
    }

    /// Returns the similarity of the texts, 0 to 1: the share of the lines of both that is in both.
    /// It is 1 only for equal texts, empty ones included.
    pub fn similarity(&self) -> f64 {
        let lines = self.old.len() + self.new.len();
        let removed: u32 =
            self.changes.iter().map(|change| change.old.end - change.old.start).sum();
        let in_both = self.old.len() - removed as usize;
        if lines == 0 { 1.0 } else { (2 * in_both) as f64 / lines as f64 }
    }
}
