//! What is measured of a change: sizes and line counts.

use std::sync::Arc;

use crate::error::Result;
use crate::git::Oid;
use crate::git::attributes::ContentSource;
use crate::git::change::contents::Reader;
use crate::git::model::changed_file::{Change, Entry, Source};
use crate::git::model::diff_attribute::DiffAttribute;
use crate::git::store::counted_pairs::{CountedPairs, Counts, Pair, Rule};
use crate::text::{CancelToken, DiffOptions, Engine, line_counts};

/// Added and removed lines; a binary file has no lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineCounts {
    /// A text's lines.
    Lines {
        /// Lines of the new side that the old lacks.
        additions: u64,
        /// Lines of the old side that the new lacks.
        deletions: u64,
    },
    /// No lines can be told.
    Binary,
}

impl LineCounts {
    /// Returns the added lines of a text.
    pub fn additions(&self) -> Option<u64> {
        match self {
            Self::Lines { additions, .. } => Some(*additions),
            Self::Binary => None,
        }
    }

    /// Returns the removed lines of a text.
    pub fn deletions(&self) -> Option<u64> {
        match self {
            Self::Lines { deletions, .. } => Some(*deletions),
            Self::Binary => None,
        }
    }

    fn of(counts: Counts) -> Self {
        match counts {
            Some((additions, deletions)) => {
                Self::Lines { additions: additions.into(), deletions: deletions.into() }
            }
            None => Self::Binary,
        }
    }

    /// Returns the counts as they are kept; none where they are too high for that.
    fn kept(&self) -> Option<Counts> {
        match *self {
            Self::Lines { additions, deletions } => {
                Some(Some((additions.try_into().ok()?, deletions.try_into().ok()?)))
            }
            Self::Binary => Some(None),
        }
    }
}

/// What of a change is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measure {
    /// The sizes of both sides; reads object headers.
    pub sizes: bool,
    /// The line counts and whether the file is binary; reads contents.
    pub lines: bool,
}

/// A change with what was measured of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The change.
    pub change: Change,
    /// Bytes of the old side; none for a submodule or where not measured.
    pub old_size: Option<u64>,
    /// Bytes of the new side; none for a submodule or where not measured.
    pub new_size: Option<u64>,
    /// The line counts, where measured.
    pub lines: Option<LineCounts>,
}

impl Measured {
    /// Returns a change of which nothing was measured.
    pub fn unmeasured(change: Change) -> Self {
        Self { change, old_size: None, new_size: None, lines: None }
    }
}

/// Measures changes for one thread.
pub struct Measurer {
    reader: Reader,
    engine: Engine,
    measure: Measure,
    options: DiffOptions,
    counted: Arc<CountedPairs>,
    /// The rule by which lines are counted; none where none are, or where pairs of this one are not kept.
    rule: Option<u8>,
}

impl Measurer {
    /// Returns what measures changes of the files of a source; lines are counted as `options` say.
    pub fn new(source: &ContentSource, measure: Measure, options: DiffOptions) -> Self {
        let reader = Reader::new(source);
        let counted = Arc::clone(reader.objects().counted_pairs());
        let big_file_bytes = reader.big_file_bytes();
        let rule = measure
            .lines
            .then(|| counted.rule(Rule { options: options.clone(), big_file_bytes }))
            .flatten();
        Self { reader, engine: Engine::default(), measure, options, counted, rule }
    }

    /// Returns the change with what was asked of it.
    pub fn measure(&mut self, change: Change, cancel: &CancelToken<'_>) -> Result<Measured> {
        let lines =
            if self.measure.lines { Some(self.count_lines(&change, cancel)?) } else { None };
        let (old_size, new_size) = if self.measure.sizes {
            (self.reader.size(change.old)?, self.reader.size(change.new)?)
        } else {
            (None, None)
        };
        Ok(Measured { change, old_size, new_size, lines })
    }

    fn count_lines(&mut self, change: &Change, cancel: &CancelToken<'_>) -> Result<LineCounts> {
        let attributes = self.reader.diff_attributes(change)?;
        let pair = self.pair(change, attributes);
        if let Some(counts) = pair.and_then(|pair| self.counted.get(&pair)) {
            return Ok(LineCounts::of(counts));
        }
        let loose = self.reader.objects().loose_reads();
        let counts = self.compare(change, attributes, cancel)?;
        // A loose object may go, and its pack tells nothing of that.
        if let Some((pair, kept)) = pair.zip(counts.kept())
            && self.reader.objects().loose_reads() == loose
        {
            self.counted.put(pair, kept);
        }
        Ok(counts)
    }

    /// Returns what the counts of a change depend on, where its sides are blobs.
    fn pair(&self, change: &Change, attributes: [DiffAttribute; 2]) -> Option<Pair> {
        let is_blob = |entry: Entry| entry.source == Source::Object && !entry.mode.is_submodule();
        let sides = [change.old, change.new];
        if !sides.iter().flatten().all(|&entry| is_blob(entry)) {
            return None;
        }
        let oid = |entry: Option<Entry>| -> Option<Oid> { entry.map(|entry| entry.oid) };
        let attribute = |side: usize| match sides[side] {
            Some(entry) if entry.mode.is_regular() => attributes[side],
            // That of a link, or of no file, says nothing.
            _ => DiffAttribute::Unspecified,
        };
        Some(Pair {
            old: oid(change.old),
            new: oid(change.new),
            attributes: [attribute(0), attribute(1)],
            rule: self.rule?,
        })
    }

    fn compare(
        &mut self,
        change: &Change,
        attributes: [DiffAttribute; 2],
        cancel: &CancelToken<'_>,
    ) -> Result<LineCounts> {
        let (old, new) = self.reader.contents_by(change, attributes)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else {
            return Ok(LineCounts::Binary);
        };
        // For git an id that is the same has no lines that differ, even when a link became a file or
        // a submodule is dirty.
        if change.has_same_ids() {
            return Ok(LineCounts::Lines { additions: 0, deletions: 0 });
        }
        let (additions, deletions) =
            line_counts(&mut self.engine, old, new, &self.options, cancel)?;
        Ok(LineCounts::Lines { additions, deletions })
    }
}
