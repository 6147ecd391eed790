//! What is measured of a change: sizes and line counts.

use crate::error::Result;
use crate::git::change::changed_file::Change;
use crate::git::change::comparison::Comparison;
use crate::git::change::contents::Reader;
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
}

impl Measurer {
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
        let (old, new) = self.reader.contents(change)?;
        let (Some(old), Some(new)) = (old.text(), new.text()) else {
            return Ok(LineCounts::Binary);
        };
        let _held = cancel.charge(old.len() + new.len())?;
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

impl Comparison {
    /// Returns what measures changes on one thread; lines are counted as `options` say.
    pub fn measurer(&self, measure: Measure, options: DiffOptions) -> Measurer {
        Measurer { reader: self.reader(), engine: Engine::default(), measure, options }
    }
}
