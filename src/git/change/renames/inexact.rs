//! Pairs files that changed as they moved, by the similarity of their contents.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::shared_work::{share, share_while};
use super::{Blobs, Board, FULL, Item, Name, Version};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_text::cancel_token::{CancelToken, PacedToken};
use redline_text::{Fingerprint, FingerprintIndex};

/// The number of candidate sources for each added file.
const CANDIDATES: usize = 4;

/// Compares the remaining files of a board.
pub struct Search<'a, 'b, B> {
    board: &'a mut Board<'b>,
    least: u32,
    held_bytes: usize,
    /// One for each thread.
    workers: Vec<Worker<'a, B>>,
}

/// The reader and the buffers of one thread.
struct Worker<'a, B> {
    blobs: &'a mut B,
    cancel: CancelToken<'a>,
    pace: PacedToken<'a>,
    /// The buffer of contents.
    bytes: Vec<u8>,
    /// The bytes that an added file has in common with each source.
    copied: Vec<u64>,
}

impl<B: Blobs> Worker<'_, B> {
    fn size(&mut self, file: &Version<'_>) -> Result<u64> {
        self.cancel.check()?;
        self.blobs.size(file)
    }

    fn fingerprint(&mut self, file: &Version<'_>) -> Result<Fingerprint> {
        self.cancel.check()?;
        let is_text = self.blobs.read(file, &mut self.bytes)?;
        Ok(Fingerprint::new(&self.bytes, is_text, &self.cancel)?)
    }
}

/// Some sources that are compared at once.
struct Portion<'a> {
    sources: &'a [usize],
    /// Their pieces, in this order; of a source that no file is compared with, none.
    index: FingerprintIndex,
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
        readers: &'a mut [B],
        cancel: &CancelToken<'a>,
    ) -> Self {
        let worker = |blobs| {
            let (cancel, pace) = (*cancel, cancel.pace());
            Worker { blobs, cancel, pace, bytes: Vec::new(), copied: Vec::new() }
        };
        let workers = readers.iter_mut().map(worker).collect();
        Self { board, least, held_bytes, workers }
    }

    /// Pairs files whose name is unique among the remaining sources and the added files, if their
    /// similarity is at least half way from the least score to the full one.
    pub fn by_name(&mut self) -> Result<()> {
        let sources = unique(self.free_sources().map(|at| (self.board.sources[at].name, at)));
        let targets = unique(self.open_targets().map(|at| (self.board.targets[at].name, at)));
        let least = self.least + (FULL - self.least) / 2;
        let namesakes = self.board.sources.iter().enumerate().filter_map(|(source, file)| {
            let is_unique = sources.get(&file.name) == Some(&Some(source));
            let target = targets.get(&file.name).copied().flatten();
            target.filter(|_| is_unique).map(|target| (source, target))
        });
        let namesakes: Vec<(usize, usize)> = namesakes.collect();
        let board = &*self.board;
        let compared = share(&mut self.workers, namesakes.len(), |worker, number| {
            let (source, target) = namesakes[number];
            let (before, after) = (&board.sources[source].file, &board.targets[target].file);
            if !is_regular(before) || !is_regular(after) {
                return Ok::<_, Error>(None);
            }
            let (old, new) = (worker.size(before)?, worker.size(after)?);
            if !is_near(old, new, least) {
                return Ok(Some((old, new, 0)));
            }
            let (before, after) = (worker.fingerprint(before)?, worker.fingerprint(after)?);
            Ok(Some((old, new, score(Fingerprint::copied(&before, &after), old, new))))
        })?;
        for ((source, target), compared) in namesakes.into_iter().zip(compared) {
            let Some((old, new, score)) = compared else { continue };
            self.board.sources[source].size = Some(old);
            self.board.targets[target].size = Some(new);
            if score >= least {
                self.board.claim(target, source, score);
            }
        }
        Ok(())
    }

    /// Tells whether so few files remain that contents are compared; a limit of 0 is none.
    pub fn is_within(&self, limit: u32) -> bool {
        let (sources, targets) = (self.free_sources().count(), self.open_targets().count());
        limit == 0 || sources as u128 * targets as u128 <= u128::from(limit).pow(2)
    }

    /// Compares every remaining added file with every source; the best pairs win.
    pub fn by_content(&mut self) -> Result<()> {
        let targets: Vec<usize> = self.open_targets().collect();
        let sources: Vec<usize> = self.free_sources().collect();
        if sources.is_empty() || targets.is_empty() {
            return Ok(());
        }
        self.measure(&sources, &targets)?;
        let mut best = vec![Best::default(); targets.len()];
        let mut rest = &sources[..];
        while !rest.is_empty() {
            let portion = self.portion(&mut rest, &targets)?;
            best = self.compare(&targets, &portion, &best)?;
        }
        // The sort is stable, so that candidates of equal merit stay in the order of their slots.
        let mut candidates: Vec<Candidate> =
            best.iter().flat_map(|best| best.places).flatten().collect();
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
            let is_open = self.board.is_open(candidate.target);
            if is_open && (used || self.board.is_unused(candidate.source)) {
                self.board.claim(candidate.target, candidate.source, candidate.merit.0);
            }
        }
    }

    /// Compares the added files with a portion of the sources, and returns the best of these and
    /// of those before.
    fn compare(
        &mut self,
        targets: &[usize],
        portion: &Portion<'_>,
        best: &[Best],
    ) -> Result<Vec<Best>> {
        let (board, least) = (&*self.board, self.least);
        share(&mut self.workers, targets.len(), |worker, number| {
            let (target, mut best) = (targets[number], best[number].clone());
            let Item { file, size: new, name, .. } = &board.targets[target];
            let near = |source: usize| {
                let sizes = board.sources[source].size.zip(*new);
                sizes.filter(|&(old, new)| is_near(old, new, least))
            };
            if portion.sources.iter().any(|&source| near(source).is_some()) {
                let print = worker.fingerprint(file)?;
                portion.index.copied(&print, &mut worker.copied, &mut worker.pace)?;
            }
            for (at, &source) in portion.sources.iter().enumerate() {
                worker.pace.spend(1)?;
                // Files that are not similar occupy slots too, and so affect the order of others.
                let score = near(source).map_or(0, |(old, new)| score(worker.copied[at], old, new));
                let merit = (score, board.sources[source].name == *name);
                best.offer(Candidate { target, source, merit });
            }
            Ok(best)
        })
    }

    /// Takes sources from the front of `rest` until their fingerprints fill the memory; skips a
    /// source whose size is near to that of no added file.
    fn portion<'s>(&mut self, rest: &mut &'s [usize], targets: &[usize]) -> Result<Portion<'s>> {
        let mut sizes: Vec<u64> =
            targets.iter().filter_map(|&target| self.board.targets[target].size).collect();
        sizes.sort_unstable();
        let (board, least) = (&*self.board, self.least);
        let sources = *rest;
        let (held, most) = (AtomicUsize::new(0), self.held_bytes);
        let has_room = || held.load(Relaxed) < most;
        let prints = share_while(&mut self.workers, sources.len(), has_room, |worker, number| {
            let source = &board.sources[sources[number]];
            let is_needed = source.size.is_some_and(|size| {
                let is_near = |new| is_near(size, new, least);
                let at = sizes.partition_point(|&new| new < size && !is_near(new));
                sizes.get(at).is_some_and(|&new| is_near(new))
            });
            if !is_needed {
                return Ok::<_, Error>(Fingerprint::default());
            }
            let print = worker.fingerprint(&source.file)?;
            held.fetch_add(print.held_bytes(), Relaxed);
            Ok(print)
        })?;
        let (sources, others) = rest.split_at(prints.len());
        *rest = others;
        Ok(Portion { sources, index: FingerprintIndex::new(&prints) })
    }

    /// Reads the sizes of all regular files, if there are any on both sides.
    fn measure(&mut self, sources: &[usize], targets: &[usize]) -> Result<()> {
        let olds: Vec<_> = sources.iter().map(|&at| &self.board.sources[at]).collect();
        let news: Vec<_> = targets.iter().map(|&at| &self.board.targets[at]).collect();
        let has_regular = |items: &[&Item<'_>]| items.iter().any(|item| is_regular(&item.file));
        if !has_regular(&olds) || !has_regular(&news) {
            return Ok(());
        }
        let files = [olds, news].concat();
        let sizes = share(&mut self.workers, files.len(), |worker, number| match files[number] {
            Item { file, size: None, .. } if is_regular(file) => worker.size(file).map(Some),
            known => Ok(known.size),
        })?;
        let (olds, news) = sizes.split_at(sources.len());
        sources.iter().zip(olds).for_each(|(&at, &size)| self.board.sources[at].size = size);
        targets.iter().zip(news).for_each(|(&at, &size)| self.board.targets[at].size = size);
        Ok(())
    }

    fn free_sources(&self) -> impl Iterator<Item = usize> {
        // Without copies a source is used only once.
        (0..self.board.sources.len()).filter(|&at| self.board.copies || self.board.is_unused(at))
    }

    fn open_targets(&self) -> impl Iterator<Item = usize> {
        (0..self.board.targets.len()).filter(|&at| self.board.is_open(at))
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

/// Tells whether a file can be compared.
fn is_regular(file: &Version<'_>) -> bool {
    file.entry.mode.is_regular()
}

/// Tells whether files of these sizes can be read, and can reach the score: the smaller one would
/// have to be contained in the larger.
fn is_near(old: u64, new: u64, least: u32) -> bool {
    let (smaller, larger) = (old.min(new), old.max(new));
    larger <= limits::OBJECT_BYTES
        && u128::from(smaller) * u128::from(FULL) >= u128::from(larger) * u128::from(least)
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
    /// The first empty slot, or the first of the worst.
    worst: usize,
}

impl Best {
    /// Puts a candidate in the first empty slot, or replaces the first of the worst if it is
    /// better.
    fn offer(&mut self, candidate: Candidate) {
        let merit = |place: &Option<Candidate>| place.map(|candidate| candidate.merit);
        if merit(&self.places[self.worst]) < Some(candidate.merit) {
            self.places[self.worst] = Some(candidate);
            let places = self.places.iter().enumerate();
            self.worst = places.min_by_key(|(_, place)| merit(place)).map_or(0, |(at, _)| at);
        }
    }
}
