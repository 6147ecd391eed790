//! Pairs files that changed as they moved, by the similarity of their contents.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};

use super::{Blobs, Board, FULL, Name, Version};
use crate::text::cancel_token::{CancelToken, PacedToken};
use crate::text::{Fingerprint, FingerprintTable};

/// The number of candidate sources for each added file.
const CANDIDATES: usize = 4;

/// Compares the remaining files of a board.
pub struct Search<'a, 'b, B> {
    board: &'a mut Board<'b>,
    least: u32,
    held_bytes: usize,
    /// The size above which files are not compared.
    largest: u64,
    blobs: &'a mut B,
    cancel: &'a CancelToken<'a>,
    pace: PacedToken<'a>,
    /// The buffer of contents, reused.
    bytes: Vec<u8>,
    source_sizes: Vec<Option<u64>>,
    target_sizes: Vec<Option<u64>>,
}

/// A possible origin of an added file.
#[derive(Clone, Copy)]
struct Candidate {
    target: usize,
    source: usize,
    /// The score, then whether the names are equal; higher is better.
    merit: (u32, bool),
}

impl<'a, 'b, B: Blobs> Search<'a, 'b, B> {
    pub fn new(
        board: &'a mut Board<'b>,
        least: u32,
        held_bytes: usize,
        blobs: &'a mut B,
        cancel: &'a CancelToken<'a>,
    ) -> Self {
        let (source_sizes, target_sizes) =
            (vec![None; board.sources.len()], vec![None; board.targets.len()]);
        let (largest, pace) = (blobs.largest(), cancel.pace());
        Self {
            board,
            least,
            held_bytes,
            largest,
            blobs,
            cancel,
            pace,
            bytes: Vec::new(),
            source_sizes,
            target_sizes,
        }
    }

    /// Pairs files whose name is unique among the remaining sources and the added files, if their
    /// similarity is at least half way from the least score to the full one.
    pub fn by_name(&mut self) -> Result<(), B::Error> {
        let sources = unique(self.free_sources().map(|at| (self.board.sources[at].name, at)));
        let targets = unique(self.open_targets().map(|at| (self.board.targets[at].name, at)));
        let least = self.least + (FULL - self.least) / 2;
        for source in 0..self.board.sources.len() {
            let name = self.board.sources[source].name;
            if sources.get(&name) != Some(&Some(source)) {
                continue;
            }
            let Some(&Some(target)) = targets.get(&name) else { continue };
            let Some((old, new)) = self.sizes(source, target)? else { continue };
            if !self.is_near(old, new, least) {
                continue;
            }
            let before = self.fingerprint(self.board.sources[source].file)?;
            let after = self.fingerprint(self.board.targets[target].file)?;
            let score = score(Fingerprint::copied(&before, &after), old, new);
            if score >= least {
                self.board.claim(target, source, score);
            }
        }
        Ok(())
    }

    /// Returns the least limit with which contents would be compared, if it is above `limit`.
    pub fn needed_limit(&self, limit: u32) -> Option<usize> {
        let (sources, targets) = (self.free_sources().count(), self.open_targets().count());
        let is_over = limit > 0 && sources as u128 * targets as u128 > u128::from(limit).pow(2);
        is_over.then(|| sources.max(targets))
    }

    /// Compares every remaining added file with every source; the best pairs win.
    pub fn by_content(&mut self) -> Result<(), B::Error> {
        let targets: Vec<usize> = self.open_targets().collect();
        let sources: Vec<usize> = self.free_sources().collect();
        if sources.is_empty() || targets.is_empty() {
            return Ok(());
        }
        self.measure(&sources, &targets)?;
        let mut best = vec![Best::default(); targets.len()];
        let mut ledger = FingerprintTable::default();
        let mut rest = &sources[..];
        while !rest.is_empty() {
            let portion = self.portion(&mut rest, &targets)?;
            for (best, &target) in best.iter_mut().zip(&targets) {
                self.compare(target, &portion, &mut ledger, best)?;
            }
        }
        // The sort is stable, so that candidates of equal merit stay in the order of their slots.
        let mut candidates: Vec<Candidate> =
            best.iter().flat_map(Best::candidates).copied().collect();
        candidates.retain(|candidate| candidate.merit.0 >= self.least);
        candidates.sort_by_key(|candidate| Reverse(candidate.merit));
        self.finalize(&candidates, false);
        if self.board.copies {
            self.finalize(&candidates, true);
        }
        Ok(())
    }

    /// Lets the candidates claim their sources; if `used`, also those already in use.
    fn finalize(&mut self, candidates: &[Candidate], used: bool) {
        for candidate in candidates {
            let is_open = self.board.targets[candidate.target].claim.is_none();
            if is_open && (used || self.board.sources[candidate.source].uses == 0) {
                self.board.claim(candidate.target, candidate.source, candidate.merit.0);
            }
        }
    }

    /// Compares one added file with a portion of the sources.
    fn compare(
        &mut self,
        target: usize,
        portion: &[(usize, Option<Fingerprint>)],
        ledger: &mut FingerprintTable,
        best: &mut Best,
    ) -> Result<(), B::Error> {
        let (new, name) = (self.target_sizes[target], self.board.targets[target].name);
        let mut is_held = false;
        for (source, old) in portion {
            let mut score = 0;
            self.pace.spend(1)?;
            if let (Some(size), Some(new), Some(old)) = (self.source_sizes[*source], new, old)
                && self.is_near(size, new, self.least)
            {
                if !is_held {
                    ledger.hold(self.fingerprint(self.board.targets[target].file)?);
                    is_held = true;
                }
                self.pace.spend(old.len())?;
                score = self::score(ledger.copied(old), size, new);
            }
            // Files that are not similar occupy slots too, and so affect the order of others.
            let merit = (score, self.board.sources[*source].name == name);
            best.offer(Candidate { target, source: *source, merit });
        }
        Ok(())
    }

    /// Takes sources from the front of `rest` until their fingerprints fill the memory; skips a
    /// source whose size is near to that of no added file.
    fn portion(
        &mut self,
        rest: &mut &[usize],
        targets: &[usize],
    ) -> Result<Vec<(usize, Option<Fingerprint>)>, B::Error> {
        let mut sizes: Vec<u64> =
            targets.iter().filter_map(|&target| self.target_sizes[target]).collect();
        sizes.sort_unstable();
        let (mut portion, mut held) = (Vec::new(), 0);
        while let Some((&source, others)) = rest.split_first()
            && (portion.is_empty() || held < self.held_bytes)
        {
            *rest = others;
            let size = self.source_sizes[source];
            let is_needed = size.is_some_and(|size| {
                let at = sizes
                    .partition_point(|&new| new < size && !self.is_near(size, new, self.least));
                sizes.get(at).is_some_and(|&new| self.is_near(size, new, self.least))
            });
            let print = if is_needed {
                Some(self.fingerprint(self.board.sources[source].file)?)
            } else {
                None
            };
            held += print.as_ref().map_or(0, Fingerprint::held_bytes);
            portion.push((source, print));
        }
        Ok(portion)
    }

    /// Reads the sizes of all regular files, if there are any on both sides.
    fn measure(&mut self, sources: &[usize], targets: &[usize]) -> Result<(), B::Error> {
        let is_regular = |file: &Version<'_>| file.entry.mode.is_regular();
        let source = sources.iter().find(|&&at| is_regular(&self.board.sources[at].file));
        let target = targets.iter().find(|&&at| is_regular(&self.board.targets[at].file));
        if let (Some(&source), Some(&target)) = (source, target) {
            for &at in sources {
                self.sizes(at, target)?;
            }
            for &at in targets {
                self.sizes(source, at)?;
            }
        }
        Ok(())
    }

    /// Returns the sizes of two comparable files: both regular.
    fn sizes(&mut self, source: usize, target: usize) -> Result<Option<(u64, u64)>, B::Error> {
        let (old, new) = (&self.board.sources[source].file, &self.board.targets[target].file);
        if !old.entry.mode.is_regular() || !new.entry.mode.is_regular() {
            return Ok(None);
        }
        let mut size = |file: &Version<'_>, known: &mut Option<u64>| match *known {
            Some(size) => Ok(size),
            None => {
                self.cancel.check()?;
                self.blobs.size(file).inspect(|&size| *known = Some(size))
            }
        };
        let old = size(old, &mut self.source_sizes[source])?;
        let new = size(new, &mut self.target_sizes[target])?;
        Ok(Some((old, new)))
    }

    /// Tells whether files of these sizes can reach the score: the smaller one would have to be
    /// contained in the larger.
    fn is_near(&self, old: u64, new: u64, least: u32) -> bool {
        let (smaller, larger) = (old.min(new), old.max(new));
        larger <= self.largest
            && u128::from(smaller) * u128::from(FULL) >= u128::from(larger) * u128::from(least)
    }

    fn fingerprint(&mut self, file: Version<'_>) -> Result<Fingerprint, B::Error> {
        self.cancel.check()?;
        self.blobs.read(&file, &mut self.bytes)?;
        let is_text = self.blobs.is_text(&file, &self.bytes)?;
        Ok(Fingerprint::new(&self.bytes, is_text, self.cancel)?)
    }

    fn free_sources(&self) -> impl Iterator<Item = usize> {
        (0..self.board.sources.len()).filter(|&at| self.board.is_free(&self.board.sources[at]))
    }

    fn open_targets(&self) -> impl Iterator<Item = usize> {
        (0..self.board.targets.len()).filter(|&at| self.board.targets[at].claim.is_none())
    }
}

/// Finds the names that only one file has; others have no position.
fn unique(files: impl Iterator<Item = (Name, usize)>) -> HashMap<Name, Option<usize>> {
    let mut names = HashMap::new();
    for (name, at) in files {
        match names.entry(name) {
            Occupied(mut seen) => *seen.get_mut() = None,
            Vacant(first) => _ = first.insert(Some(at)),
        }
    }
    names
}

/// Returns the copied part of the larger file.
fn score(copied: u64, old: u64, new: u64) -> u32 {
    if new == 0 {
        0
    } else {
        (u128::from(copied) * u128::from(FULL) / u128::from(old.max(new))) as u32
    }
}

/// The best sources of one added file, each in its original slot.
#[derive(Clone, Default)]
struct Best {
    places: [Option<Candidate>; CANDIDATES],
}

impl Best {
    /// Puts a candidate in the first empty slot, or replaces the first of the worst if it is
    /// better.
    fn offer(&mut self, candidate: Candidate) {
        let merit = |place: &Option<Candidate>| place.map(|candidate| candidate.merit);
        let worst =
            self.places.iter_mut().min_by_key(|place| merit(place)).expect("there are places");
        if merit(worst) < Some(candidate.merit) {
            *worst = Some(candidate);
        }
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.places.iter().flatten()
    }
}
