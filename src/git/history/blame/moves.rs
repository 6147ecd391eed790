//! Detects lines that were moved within a file or copied from another one: `-M` and `-C`.
//!
//! Lines without an equal in the parent's version are searched for elsewhere: in that version, then
//! in the files changed with it, then in all files. The score of a run is its number of letters and
//! digits; a run with a low score occurs everywhere and is not searched for.

use super::Blamer;
use super::entries::{Run, Split, splits};
use super::origins::OriginId;
use crate::Oid;
use crate::model::commit::Links;
use redline_base::budget::{Gather, Grow, Ordered, TryGather, filled};
use redline_base::error::Result;
use redline_text::line_changes;

/// The score that a moved run must exceed.
const MOVE_SCORE: u32 = 20;
/// The score that a copied run must exceed.
const COPY_SCORE: u32 = 40;

/// What is known of a version's runs.
#[derive(Default)]
struct Moves {
    /// The found runs, each with the version that has it.
    found: Vec<(OriginId, Run)>,
    /// The runs with a score too low to be searched for.
    small: Vec<Run>,
}

/// The best place of a run: a version, and the part of the run that it has.
type Place = Option<(OriginId, Split)>;

impl Blamer {
    /// Passes on the lines that a parent has elsewhere.
    pub(super) fn pass_moved_lines(
        &mut self,
        id: OriginId,
        links: &Links,
        parents: &[Option<OriginId>],
    ) -> Result<()> {
        let mut moves = Moves::default();
        self.set_aside(id, &mut moves.small, MOVE_SCORE);
        for &parent in parents.iter().flatten() {
            self.search(id, MOVE_SCORE, &mut moves, |blamer, runs| {
                runs.iter().map(|run| blamer.best_split(run, parent, None)).try_gather()
            })?;
        }
        if self.options.copies > 0 {
            self.set_aside(id, &mut moves.small, COPY_SCORE);
            for (number, parent) in links.parents.iter().enumerate() {
                if self.origins.get(id).suspected.is_empty() {
                    break;
                }
                self.find_copied(id, *parent, parents[number], links, &mut moves)?;
            }
        }
        let Moves { mut found, mut small } = moves;
        // Sorted by version and line, as each list must be.
        found.order_by_key(|(origin, run)| (*origin, run.source));
        for same in found.chunk_by(|(one, _), (other, _)| one == other) {
            self.queue(same[0].0, same.iter().map(|(_, run)| *run).gather())?;
        }
        let origin = self.origins.get_mut(id);
        small.append(&mut origin.suspected);
        origin.suspected = small;
        Ok(())
    }

    /// Moves the runs with a low score from a version to the front of `small`.
    fn set_aside(&mut self, id: OriginId, small: &mut Vec<Run>, least: u32) {
        let suspected = std::mem::take(&mut self.origins.get_mut(id).suspected);
        self.origins.get_mut(id).suspected = self.without_small(suspected, small, least);
    }

    /// Returns the score of a run: one more than its letters and digits.
    fn score(&self, run: &Run) -> u32 {
        1 + self.text(run).iter().filter(|byte| byte.is_ascii_alphanumeric()).count() as u32
    }

    /// Searches for the runs of a version, and then for what is left before and after the found
    /// parts; `places` returns the best place of each run.
    fn search(
        &mut self,
        id: OriginId,
        least: u32,
        moves: &mut Moves,
        mut places: impl FnMut(&mut Self, &[Run]) -> Result<Vec<Place>>,
    ) -> Result<()> {
        let mut untried = std::mem::take(&mut self.origins.get_mut(id).suspected);
        let mut left = Vec::new();
        while !untried.is_empty() {
            let places = places(self, &untried)?;
            let mut parts = Vec::new();
            for (run, place) in untried.into_iter().zip(places) {
                match place {
                    Some((origin, split)) if least < self.score(&split.found) => {
                        parts.add_all([split.before, split.after].into_iter().flatten());
                        moves.found.add((origin, split.found));
                    }
                    _ => left.add(run),
                }
            }
            untried = self.without_small(parts, &mut moves.small, least);
        }
        self.origins.get_mut(id).suspected = left;
        Ok(())
    }

    /// Searches for runs in the other files of a parent, in which the file itself is `version`.
    fn find_copied(
        &mut self,
        id: OriginId,
        parent: Oid,
        version: Option<OriginId>,
        links: &Links,
        moves: &mut Moves,
    ) -> Result<()> {
        let parent_links = self.links(&parent)?;
        let own_path = version.map(|version| self.origins.get(version).path.clone());
        let is_new = own_path.as_ref().is_none_or(|path| *path != self.origins.get(id).path);
        let is_every_file = self.options.copies > 2 || (self.options.copies > 1 && is_new);
        let files = if is_every_file {
            self.origins.files(&parent_links)?
        } else {
            self.origins.changes(id, &parent_links, links)?
        };
        self.search(id, COPY_SCORE, moves, |blamer, runs| {
            let mut places: Vec<Place> = filled(None, runs.len());
            for file in &files {
                blamer.repository.budget().check()?;
                let Some(old) = file.old.filter(|old| !old.mode.is_submodule()) else { continue };
                if own_path.as_ref().is_some_and(|path| **path == *file.path) {
                    continue;
                }
                let origin = blamer.origins.meet(parent, &file.path, old);
                for (run, place) in runs.iter().zip(&mut places) {
                    *place = blamer.best_split(run, origin, place.take())?;
                }
            }
            Ok(places)
        })
    }

    /// Returns the runs whose score is high enough; moves the others to the front of `small`.
    fn without_small(&self, runs: Vec<Run>, small: &mut Vec<Run>, least: u32) -> Vec<Run> {
        let (few, many): (Vec<Run>, Vec<Run>) =
            runs.into_iter().partition(|run| self.score(run) <= least);
        small.splice(0..0, few);
        many
    }

    /// Returns the largest part of a run that a version has too, unless `best` is larger.
    fn best_split(&mut self, run: &Run, version: OriginId, mut best: Place) -> Result<Place> {
        let old = self.origins.content(version)?;
        let cancel = self.repository.cancel();
        let mut engine = std::mem::take(&mut self.engine);
        let whitespace = self.options.whitespace;
        let changes = line_changes(&mut engine, &old, self.text(run), whitespace, &cancel);
        self.engine = engine;
        let changes = changes?;
        for split in splits(run, &changes) {
            if best.is_none_or(|(_, best)| self.score(&split.found) >= self.score(&best.found)) {
                best = Some((version, split));
            }
        }
        Ok(best)
    }
}
