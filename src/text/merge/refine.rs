//! Makes conflicts smaller: lines that both sides have in common are taken out, unless so few lines
//! would separate two conflicts that one is easier to read.

use std::ops::Range;

use super::{Kind, Level, Merge, MergeOptions, MergeStyle, Region, slice};
use crate::cancel_token::{CancelToken, PacedToken};
use crate::diff::lowest_line_changes;
use crate::engine::{Algorithm, Engine};
use crate::lines::Lines;
use redline_base::budget::Charge;
use redline_base::error::Result;

/// Lines between two conflicts up to which they are joined.
const JOINED_LINES: i64 = 3;

impl Merge<'_> {
    /// Makes the conflicts as small as style and level allow.
    pub(super) fn refine(
        &mut self,
        engine: &mut Engine,
        options: &MergeOptions<'_>,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        match options.style {
            MergeStyle::Merge if options.level >= Level::Zealous => {
                self.split_conflicts(engine, options.algorithm, cancel)?;
                self.join_conflicts(options.level > Level::Zealous, cancel)?;
            }
            MergeStyle::Merge | MergeStyle::Diff3 => {}
            MergeStyle::Zdiff3 => self.trim_conflicts(cancel)?,
        }
        Ok(())
    }

    /// Splits each conflict into the parts in which the sides differ.
    fn split_conflicts(
        &mut self,
        engine: &mut Engine,
        algorithm: Algorithm,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let mut regions = Vec::new();
        let mut charge = Charge::free();
        for mut region in std::mem::take(&mut self.regions) {
            if region.kind != Kind::Conflict || region.ours.is_empty() || region.theirs.is_empty() {
                cancel.room(&mut charge, &mut regions, 1)?;
                regions.push(region);
                continue;
            }
            let ours = Lines::split(slice(&self.ours, &region.ours), cancel)?;
            let theirs = Lines::split(slice(&self.theirs, &region.theirs), cancel)?;
            let changes = lowest_line_changes(engine, &ours, &theirs, algorithm, cancel)?;
            cancel.room(&mut charge, &mut regions, changes.len().max(1))?;
            if changes.is_empty() {
                region.kind = Kind::Same;
                regions.push(region);
                continue;
            }
            let within = |start: i64, lines: Range<u32>| {
                start + i64::from(lines.start)..start + i64::from(lines.end)
            };
            regions.extend(changes.into_iter().map(|change| Region {
                kind: Kind::Conflict,
                base: region.base.clone(),
                ours: within(region.ours.start, change.old),
                theirs: within(region.theirs.start, change.new),
            }));
        }
        self.regions = regions;
        Ok(())
    }

    /// Joins conflicts with few lines between them; if `by_words`, also those without a letter or
    /// digit between them.
    fn join_conflicts(&mut self, by_words: bool, cancel: &CancelToken<'_>) -> Result<()> {
        let mut pace = cancel.pace();
        let mut kept = 0;
        for index in 1..self.regions.len() {
            let (last, next) = (&self.regions[kept], &self.regions[index]);
            let between = last.ours.end..next.ours.start;
            let are_conflicts = [last.kind, next.kind] == [Kind::Conflict; 2];
            if are_conflicts
                && (between.end - between.start <= JOINED_LINES
                    || (by_words && !has_word(slice(&self.ours, &between), &mut pace)?))
            {
                let next = next.clone();
                self.regions[kept].extend_to(&next);
            } else {
                kept += 1;
                self.regions.swap(kept, index);
            }
            pace.spend(1)?;
        }
        self.regions.truncate(kept + 1);
        Ok(())
    }

    /// Takes the common first and last lines of the sides out of each conflict.
    fn trim_conflicts(&mut self, cancel: &CancelToken<'_>) -> Result<()> {
        let mut pace = cancel.pace();
        let (ours, theirs) = (&self.ours, &self.theirs);
        let is_equal = |our: i64, their: i64| ours.get(our as usize) == theirs.get(their as usize);
        for region in self.regions.iter_mut().filter(|region| region.kind == Kind::Conflict) {
            let Region { ours, theirs, .. } = region;
            let have_lines =
                |ours: &Range<i64>, theirs: &Range<i64>| !ours.is_empty() && !theirs.is_empty();
            while have_lines(ours, theirs) && is_equal(ours.start, theirs.start) {
                ours.start += 1;
                theirs.start += 1;
                pace.spend(1)?;
            }
            while have_lines(ours, theirs) && is_equal(ours.end - 1, theirs.end - 1) {
                ours.end -= 1;
                theirs.end -= 1;
                pace.spend(1)?;
            }
        }
        Ok(())
    }
}

/// Tells whether a text has an ASCII letter or digit.
fn has_word(text: &[u8], pace: &mut PacedToken<'_>) -> Result<bool> {
    const STRIDE: usize = 1 << 16;
    for part in text.chunks(STRIDE) {
        if part.iter().any(u8::is_ascii_alphanumeric) {
            return Ok(true);
        }
        pace.pass(part.len())?;
    }
    Ok(false)
}
