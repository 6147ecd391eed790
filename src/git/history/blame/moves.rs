//! Detects lines that were moved within a file or copied from another one: `-M` and `-C`.
//!
//! Lines without an equal in the parent's version are searched for elsewhere: in that version, then
//! in the files changed with it, then in all files. The score of a run is its number of letters and
//! digits; a run with a low score occurs everywhere and is not searched for.

use super::Blamer;
use super::entries::{Run, Split, splits};
use super::origins::OriginId;
use crate::error::Result;
use crate::git::model::commit::Links;
use crate::text::line_changes;

/// The score that a moved run must exceed.
const MOVE_SCORE: u32 = 20;
/// The score that a copied run must exceed.
const COPY_SCORE: u32 = 40;

/// The found runs, each with the version that has it.
type Found = Vec<(OriginId, Run)>;

impl Blamer {
    /// Passes on the lines that a parent has elsewhere.
    pub(super) fn pass_moved_lines(
        &mut self,
        id: OriginId,
        links: &Links,
        parents: &[Option<OriginId>],
    ) -> Result<()> {
        let mut found = Found::new();
        let mut small = self.set_aside(id, MOVE_SCORE);
        for parent in parents.iter().flatten() {
            if self.origins.get(id).suspected.is_empty() {
                break;
            }
            self.find_moved(id, *parent, &mut found, &mut small)?;
        }
        if self.options.copies > 0 {
            let more = self.set_aside(id, COPY_SCORE);
            small.splice(0..0, more);
            for (number, parent) in links.parents.iter().enumerate() {
                if self.origins.get(id).suspected.is_empty() {
                    break;
                }
                let parent_links = self.links(parent)?;
                self.find_copied(
                    id,
                    (*parent, &parent_links, parents[number]),
                    links,
                    &mut found,
                    &mut small,
                )?;
            }
        }
        // Sorted by version and line, as each list must be.
        found.sort_by_key(|(origin, run)| (*origin, run.source));
        let mut rest = found.as_slice();
        while let [(origin, _), ..] = rest {
            let count = rest.iter().take_while(|(other, _)| other == origin).count();
            let (same, others) = rest.split_at(count);
            self.queue(*origin, same.iter().map(|(_, run)| *run).collect())?;
            rest = others;
        }
        let origin = self.origins.get_mut(id);
        small.append(&mut origin.suspected);
        origin.suspected = small;
        Ok(())
    }

    /// Removes the runs with a low score from a version.
    fn set_aside(&mut self, id: OriginId, least: u32) -> Vec<Run> {
        let suspected = std::mem::take(&mut self.origins.get_mut(id).suspected);
        let (small, large) = suspected.into_iter().partition(|run| self.score(run) <= least);
        self.origins.get_mut(id).suspected = large;
        small
    }

    /// Returns the score of a run: one more than its letters and digits.
    fn score(&self, run: &Run) -> u32 {
        1 + self.text(run).iter().filter(|byte| byte.is_ascii_alphanumeric()).count() as u32
    }

    /// Searches for runs elsewhere in a parent's version.
    fn find_moved(
        &mut self,
        id: OriginId,
        parent: OriginId,
        found: &mut Found,
        small: &mut Vec<Run>,
    ) -> Result<()> {
        let mut untried = std::mem::take(&mut self.origins.get_mut(id).suspected);
        let mut left = Vec::new();
        while !untried.is_empty() {
            let mut parts = Vec::new();
            for run in untried {
                match self.best_split(&run, parent, None)? {
                    Some((_, split)) if MOVE_SCORE < self.score(&split.found) => {
                        parts.extend([split.before, split.behind].into_iter().flatten());
                        found.push((parent, split.found));
                    }
                    _ => left.push(run),
                }
            }
            untried = self.without_small(parts, small, MOVE_SCORE);
        }
        self.origins.get_mut(id).suspected = left;
        Ok(())
    }

    /// Searches for runs in the other files of a parent.
    fn find_copied(
        &mut self,
        id: OriginId,
        (parent, parent_links, version): (crate::git::Oid, &Links, Option<OriginId>),
        links: &Links,
        found: &mut Found,
        small: &mut Vec<Run>,
    ) -> Result<()> {
        let own_path = version.map(|version| self.origins.get(version).path.clone());
        let is_new = own_path.as_ref().is_none_or(|path| *path != self.origins.get(id).path);
        let is_every_file = self.options.copies > 2 || (self.options.copies > 1 && is_new);
        let files = if is_every_file {
            self.origins.files(parent_links)?
        } else {
            self.origins.changes(id, parent_links, links)?
        };
        let mut untried = std::mem::take(&mut self.origins.get_mut(id).suspected);
        let mut left = Vec::new();
        while !untried.is_empty() {
            let mut best: Vec<Option<(OriginId, Split)>> = vec![None; untried.len()];
            for file in &files {
                self.repository.budget().check()?;
                let Some(old) = file.old.filter(|old| !old.mode.is_submodule()) else { continue };
                if own_path.as_ref().is_some_and(|path| **path == *file.path) {
                    continue;
                }
                let origin = self.origins.meet(parent, &file.path, old);
                for (run, best) in untried.iter().zip(&mut best) {
                    *best = self.best_split(run, origin, best.take())?;
                }
            }
            let mut parts = Vec::new();
            for (run, best) in untried.into_iter().zip(best) {
                match best {
                    Some((origin, split)) if COPY_SCORE < self.score(&split.found) => {
                        parts.extend([split.before, split.behind].into_iter().flatten());
                        found.push((origin, split.found));
                    }
                    _ => left.push(run),
                }
            }
            untried = self.without_small(parts, small, COPY_SCORE);
        }
        self.origins.get_mut(id).suspected = left;
        Ok(())
    }

    /// Returns the runs whose score is high enough; moves the others to the front of `small`.
    fn without_small(&self, runs: Vec<Run>, small: &mut Vec<Run>, least: u32) -> Vec<Run> {
        let (few, many): (Vec<Run>, Vec<Run>) =
            runs.into_iter().partition(|run| self.score(run) <= least);
        small.splice(0..0, few);
        many
    }

    /// Returns the largest part of a run that a version has too, unless `best` is larger.
    fn best_split(
        &mut self,
        run: &Run,
        version: OriginId,
        best: Option<(OriginId, Split)>,
    ) -> Result<Option<(OriginId, Split)>> {
        let old = self.origins.content(version)?;
        let cancel = self.repository.cancel();
        let mut engine = std::mem::take(&mut self.engine);
        let whitespace = self.options.whitespace;
        let changes = line_changes(&mut engine, &old, self.text(run), whitespace, &cancel);
        self.engine = engine;
        let changes = changes?;
        let mut best = best;
        for split in splits(run, &changes) {
            if best.is_none_or(|(_, best)| self.score(&split.found) >= self.score(&best.found)) {
                best = Some((version, split));
            }
        }
        Ok(best)
    }
}
