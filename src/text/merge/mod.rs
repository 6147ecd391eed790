//! Merges two texts with a common base: the same lines, conflicts and bytes as `git merge-file`.
//!
//! The steps are git's, each in its own file: changes of both sides that touch become one region
//! (`overlay`), conflicts are made smaller (`refine`), and the result is written (`write`). All
//! regions are in the order of the texts.

mod overlay;
mod refine;
mod write;

use std::ops::Range;

use super::cancel_token::CancelToken;
use super::diff::lowest_line_changes;
use super::engine::{Algorithm, Engine};
use super::is_binary;
use super::lines::Lines;
use redline_base::error::{Error, Result};

/// The parts that a conflict shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeStyle {
    /// Both sides, as small as the level makes them.
    #[default]
    Merge,
    /// Both sides and the base, whole.
    Diff3,
    /// Both sides without their common first and last lines, and the base, whole.
    Zdiff3,
}

/// The lines that are taken at a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Favor {
    /// Our lines.
    Ours,
    /// Their lines.
    Theirs,
    /// Our lines, then theirs.
    Union,
}

/// How much conflicts are made smaller. With a style that shows the base, at most [`Level::Eager`]
/// applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Equal changes of both sides conflict, too.
    Minimal,
    /// Equal changes do not conflict.
    Eager,
    /// Conflicts are split at lines that the sides have in common; git's level in merges of
    /// commits.
    Zealous,
    /// As `Zealous`, but not at lines without letters and digits; the level of `git merge-file`.
    #[default]
    ZealousAlnum,
}

/// How texts are merged.
#[derive(Debug, Clone, Copy)]
pub struct MergeOptions<'a> {
    /// The parts that a conflict shows.
    pub style: MergeStyle,
    /// The lines that are taken at a conflict; `None` keeps the conflict.
    pub favor: Option<Favor>,
    /// How much conflicts are made smaller.
    pub level: Level,
    /// The algorithm that finds matching lines.
    pub algorithm: Algorithm,
    /// The length of a conflict marker in characters.
    pub marker_size: usize,
    /// The text after the markers of the base, of ours and of theirs; none if empty.
    pub labels: [&'a str; 3],
}

impl MergeOptions<'_> {
    /// git's length of a marker.
    pub const MARKER_SIZE: usize = 7;
}

impl Default for MergeOptions<'_> {
    fn default() -> Self {
        Self {
            style: MergeStyle::default(),
            favor: None,
            level: Level::default(),
            algorithm: Algorithm::default(),
            marker_size: Self::MARKER_SIZE,
            labels: ["base", "ours", "theirs"],
        }
    }
}

/// How a region is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The sides differ, and the conflict is not resolved.
    Conflict,
    /// Our lines are taken.
    Ours,
    /// Their lines are taken.
    Theirs,
    /// Ours and theirs are taken.
    Union,
    /// It was a conflict, but both sides have the same lines.
    Same,
}

/// Lines that at least one side changed: half-open ranges of 0-based numbers. A range starts below
/// 0 only until the region is joined with the one before it.
#[derive(Debug, Clone)]
struct Region {
    kind: Kind,
    base: Range<i64>,
    ours: Range<i64>,
    theirs: Range<i64>,
}

impl Region {
    /// Extends the region to the end of a later one.
    fn extend_to(&mut self, later: &Self) {
        self.base.end = later.base.end;
        self.ours.end = later.ours.end;
        self.theirs.end = later.theirs.end;
    }
}

/// Three texts and their merged regions.
#[derive(Debug)]
pub struct Merge<'a> {
    base: Lines<'a>,
    ours: Lines<'a>,
    theirs: Lines<'a>,
    regions: Vec<Region>,
}

/// A place where both sides changed the same lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict<'a> {
    /// The lines of the base, of ours and of theirs: half-open ranges of 0-based numbers.
    pub lines: [Range<usize>; 3],
    /// Their bytes.
    pub texts: [&'a [u8]; 3],
}

impl<'a> Merge<'a> {
    /// Merges the changes from `base` to `ours` with those from `base` to `theirs`.
    ///
    /// # Errors
    /// `invalid_args` for a binary text, `too_large` for one that git would not compare, and the
    /// reason why the query ended.
    pub fn new(
        engine: &mut Engine,
        [base, ours, theirs]: [&'a [u8]; 3],
        options: &MergeOptions<'_>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        for (text, name) in [(base, "base"), (ours, "ours"), (theirs, "theirs")] {
            refuse_binary(text, name)?;
        }
        let [base, ours, theirs] = [base, ours, theirs].map(|text| Lines::split(text, cancel));
        let (base, ours, theirs) = (base?, ours?, theirs?);
        let our_changes = lowest_line_changes(engine, &base, &ours, options.algorithm, cancel)?;
        let their_changes = lowest_line_changes(engine, &base, &theirs, options.algorithm, cancel)?;
        let mut merge = Self { base, ours, theirs, regions: Vec::new() };
        merge.regions = merge.overlay(&our_changes, &their_changes, options.level, cancel)?;
        merge.refine(engine, options, cancel)?;
        if let Some(favor) = options.favor {
            merge.settle(favor);
        }
        Ok(merge)
    }

    /// Resolves every conflict.
    fn settle(&mut self, favor: Favor) {
        for region in &mut self.regions {
            if region.kind == Kind::Conflict {
                region.kind = match favor {
                    Favor::Ours => Kind::Ours,
                    Favor::Theirs => Kind::Theirs,
                    Favor::Union => Kind::Union,
                };
            }
        }
    }

    /// Returns the remaining conflicts. The base's lines are those that the sides changed here,
    /// also where a conflict was split.
    pub fn conflicts(&self) -> impl Iterator<Item = Conflict<'a>> {
        self.regions.iter().filter(|region| region.kind == Kind::Conflict).map(|region| {
            let texts = [
                slice(&self.base, &region.base),
                slice(&self.ours, &region.ours),
                slice(&self.theirs, &region.theirs),
            ];
            let lines = [&region.base, &region.ours, &region.theirs]
                .map(|range| range.start as usize..range.end as usize);
            Conflict { lines, texts }
        })
    }
}

fn refuse_binary(text: &[u8], name: &str) -> Result<()> {
    if is_binary(text) {
        return Err(Error::invalid_args(format!(
            "{name} is binary: it has a NUL among its first 8,000 bytes"
        ))
        .with_hint("Only texts can be merged by line; take one of the sides"));
    }
    Ok(())
}

/// Returns the bytes of some lines.
fn slice<'a>(lines: &Lines<'a>, range: &Range<i64>) -> &'a [u8] {
    &lines.bytes()[lines.start(range.start as usize)..lines.start(range.end as usize)]
}

#[cfg(test)]
mod tests;
