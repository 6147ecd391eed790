//! Measures changes: sizes and line counts.

use std::sync::Arc;

use crate::change::contents::Reader;
use crate::model::changed_file::{Change, Entry, Source};
use crate::model::diff_attribute::DiffAttribute;
use crate::store::counted_pairs::{CountedPairs, Counts, Pair, Rule};
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_text::{CancelToken, DiffOptions, Engine, line_counts};

/// The numbers of added and removed lines; a binary file has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts(Option<(u64, u64)>);

impl LineCounts {
    /// Those of a binary file.
    pub const BINARY: Self = Self(None);

    /// Returns the lines of a text's new side that the old one lacks.
    pub fn additions(&self) -> Option<u64> {
        self.0.map(|(additions, _)| additions)
    }

    /// Returns the lines of a text's old side that the new one lacks.
    pub fn deletions(&self) -> Option<u64> {
        self.0.map(|(_, deletions)| deletions)
    }

    fn of(counts: Counts) -> Self {
        Self(counts.map(|(additions, deletions)| (additions.into(), deletions.into())))
    }

    /// Returns the counts for the cache; `None` if they are too large for it.
    fn kept(&self) -> Option<Counts> {
        match self.0 {
            Some((additions, deletions)) => {
                Some(Some((additions.try_into().ok()?, deletions.try_into().ok()?)))
            }
            None => Some(None),
        }
    }
}

/// Which measurements to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measure {
    /// The sizes of both sides; reads object headers.
    pub sizes: bool,
    /// The line counts and whether the file is binary; reads contents.
    pub lines: bool,
}

/// A change and its measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The change.
    pub change: Change,
    /// Bytes of the old side; `None` for a submodule or if not measured.
    pub old_size: Option<u64>,
    /// Bytes of the new side; `None` for a submodule or if not measured.
    pub new_size: Option<u64>,
    /// The line counts, if measured.
    pub lines: Option<LineCounts>,
}

impl Measured {
    /// Returns a change without measurements.
    pub fn unmeasured(change: Change) -> Self {
        Self { change, old_size: None, new_size: None, lines: None }
    }
}

impl Weigh for Measured {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len()
    }
}

/// Measures changes for one thread.
pub struct Measurer {
    reader: Reader,
    engine: Engine,
    measure: Measure,
    options: DiffOptions,
    counted: Arc<CountedPairs>,
    /// The number of the counting rule in the cache; `None` if no lines are counted, or results of
    /// this rule are not cached.
    rule: Option<u8>,
}

impl Measurer {
    /// Creates a measurer of a reader's files; counts lines by `options`.
    pub fn new(reader: Reader, measure: Measure, options: DiffOptions) -> Self {
        let counted = Arc::clone(reader.objects.counted_pairs());
        let big_file_bytes = reader.big_file_bytes();
        let rule = measure
            .lines
            .then(|| counted.rule(Rule { options: options.clone(), big_file_bytes }))
            .flatten();
        Self { reader, engine: Engine::default(), measure, options, counted, rule }
    }

    /// Returns the change with the requested measurements.
    pub fn measure(&mut self, change: Change, cancel: &CancelToken<'_>) -> Result<Measured> {
        let lines =
            if self.measure.lines { Some(self.count_lines(&change, cancel)?) } else { None };
        let size = |side: Option<Entry>| self.reader.size(side.filter(|_| self.measure.sizes));
        Ok(Measured { old_size: size(change.old)?, new_size: size(change.new)?, lines, change })
    }

    fn count_lines(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<LineCounts> {
        let attributes = self.reader.diff_attributes(change)?;
        let pair = self.pair(change, attributes);
        if let Some(counts) = pair.and_then(|pair| self.counted.get(&pair)) {
            return Ok(LineCounts::of(counts));
        }
        let loose = self.reader.objects.loose_reads();
        let counts = self.compare(change, attributes, cancel)?;
        // A loose object may be deleted, which its pack would not show.
        if let Some((pair, kept)) = pair.zip(counts.kept())
            && self.reader.objects.loose_reads() == loose
        {
            self.counted.put(pair, kept);
        }
        Ok(counts)
    }

    /// Returns the cache key of a change's counts, if its sides are blobs.
    fn pair(&self, change: &Change, attributes: [DiffAttribute; 2]) -> Option<Pair> {
        let is_blob = |entry: Entry| entry.source == Source::Object && !entry.mode.is_submodule();
        let sides = [change.old, change.new];
        if !sides.iter().flatten().all(|&entry| is_blob(entry)) {
            return None;
        }
        let attribute = |side: usize| match sides[side] {
            Some(entry) if entry.mode.is_regular() => attributes[side],
            // The attribute of a link or an absent file has no effect.
            _ => DiffAttribute::Unspecified,
        };
        let [old, new] = change.ids();
        Some(Pair { old, new, attributes: [attribute(0), attribute(1)], rule: self.rule? })
    }

    fn compare(
        &mut self,
        change: &Change,
        attributes: [DiffAttribute; 2],
        cancel: &CancelToken<'_>,
    ) -> Result<LineCounts> {
        let (old, new) = self.reader.contents_by(change, attributes)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else {
            return Ok(LineCounts::BINARY);
        };
        // In git equal ids have no changed lines, even if a link became a file or a submodule is
        // dirty.
        if change.has_same_ids() {
            return Ok(LineCounts(Some((0, 0))));
        }
        let counts = line_counts(&mut self.engine, old, new, &self.options, cancel)?;
        Ok(LineCounts(Some(counts)))
    }
}
