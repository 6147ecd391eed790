//! Changes of many files as one text: reads the formats that agents write into one typed plan, and
//! finds where each part applies.
//!
//! | file | holds |
//! |---|---|
//! | `form` | the detection of the format |
//! | `rest` | the lines around a patch: none that looks like a part of it is dropped |
//! | `unified`, `recount` | unified and git diffs; the counts in their headers are corrected from the bodies |
//! | `envelope` | `*** Begin Patch` … `*** End Patch` |
//! | `blocks`, `block_path` | `<<<<<<< SEARCH` … `>>>>>>> REPLACE`; the line that names its file |
//! | `edits` | a JSON list of edits in the shape of `edit_file` |
//! | `fit`, `keys`, `place` | the places of hunks in a file, byte for byte or in the passes of `fuzz` |
//! | `miss`, `pasted` | the first line in which a hunk differs from the most similar place; what it has that files have not |
//! | `made` | the file with the hunks applied, with its line ends and its last newline |
//! | `decide` | whether all files have the change already |

mod block_path;
mod blocks;
mod decide;
mod edits;
mod envelope;
mod fit;
mod form;
mod keys;
mod made;
mod miss;
mod pasted;
mod place;
mod recount;
mod rest;
mod unified;

use redline_base::budget::GrowMap;
use redline_base::error::{Error, Result, quoted};
use redline_text::{CancelToken, LineKind};

pub use decide::{Decision, decide};
pub use fit::{FitOptions, Fitted, HunkFit, fit};
pub use form::read;

/// How the old lines of a hunk match those of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Byte for byte. For a hunk without CR, both line ends are equal.
    Exact,
    /// Without whitespace at the ends of lines.
    TrimmedEnd,
    /// Without whitespace around lines.
    Trimmed,
    /// As `Trimmed`, with Unicode dashes, quotes and blanks as ASCII.
    Ascii,
}

impl Pass {
    const FUZZY: [Self; 3] = [Self::TrimmedEnd, Self::Trimmed, Self::Ascii];

    /// Returns the name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrimmedEnd => "trimmed_end",
            Self::Trimmed => "trimmed",
            Self::Ascii => "ascii",
        }
    }
}

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path beneath the root of the sandbox.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Whether the file is executable afterwards; `None`: as before.
    pub executable: Option<bool>,
    /// The line of the patch, from 1, at which it starts.
    pub line: usize,
}

/// The kind of change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// Creates the file, which must not exist.
    Create(String),
    /// Changes lines, if there are hunks, and moves the file, if there is a path, at which no file
    /// may exist.
    Update {
        /// The changes.
        hunks: Vec<Hunk>,
        /// The new path.
        moves_to: Option<String>,
    },
    /// Replaces strings, as `edit_file` does.
    Edit(Vec<Replacement>),
    /// Deletes the file. If lines are given, the file must hold exactly these.
    Delete(Vec<Hunk>),
}

/// A replacement in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The text to find, which must occur once unless `replace_all`.
    pub old_string: String,
    /// Its replacement.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
}

/// Old lines and their replacement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The lines of the old and the new file.
    pub lines: Vec<HunkLine>,
    /// The number of the first old line in the file, from 1, if the patch has it; for a hunk
    /// without old lines, that of the line before.
    pub start: Option<usize>,
    /// The number of the first new line in the new file, if the patch has it.
    pub new_start: Option<usize>,
    /// Lines that come before it in the file, in this order.
    pub anchors: Vec<String>,
    /// Whether it is at the end of the file.
    pub ends_file: bool,
    /// The number of empty lines at its end that may be no context, but stand between two hunks.
    pub empty_end: usize,
    /// The line of the patch, from 1, at which it starts.
    pub line: usize,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// The side or sides that it belongs to.
    pub kind: LineKind,
    /// The line without its LF; a CR before it is kept.
    pub text: String,
    /// Whether the patch marks it as the last line, without a newline.
    pub lacks_newline: bool,
}

impl HunkLine {
    fn new(kind: LineKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), lacks_newline: false }
    }
}

impl FileChange {
    fn new(path: impl Into<String>, kind: ChangeKind, line: usize) -> Self {
        Self { path: path.into(), kind, executable: None, line }
    }

    /// Returns the path after the change; `None` for a deleted file.
    #[must_use]
    pub fn new_path(&self) -> Option<&str> {
        match &self.kind {
            ChangeKind::Delete(_) => None,
            ChangeKind::Update { moves_to: Some(path), .. } => Some(path),
            _ => Some(&self.path),
        }
    }

    /// Returns the path, and the one that the file moves to.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let new = self.new_path().filter(|path| *path != self.path);
        std::iter::once(self.path.as_str()).chain(new)
    }

    /// Returns its paths, as [`Self::paths`], to be replaced.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let moves_to = match &mut self.kind {
            ChangeKind::Update { moves_to, .. } => moves_to.as_mut(),
            _ => None,
        };
        std::iter::once(&mut self.path).chain(moves_to)
    }
}

/// The state of a file, or of the place of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Before the change.
    Before,
    /// After the change.
    After,
    /// Either: lines are only added, and they are there.
    Either,
}

impl State {
    /// Returns the state of two parts together; `None` if one is before and the other after the
    /// change.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Either) => Some(one),
            (Self::Either, other) => Some(other),
            (one, other) => (one == other).then_some(one),
        }
    }
}

/// Returns an error about a line of the patch.
fn wrong(line: usize, what: impl std::fmt::Display) -> Error {
    Error::invalid_args(format!("line {line} of the patch: {what}"))
}

/// Refuses a plan with two changes of one path, as their order would matter.
///
/// # Errors
/// `invalid_args`, with the lines of both.
pub fn check_paths(changes: &[FileChange], cancel: &CancelToken<'_>) -> Result<()> {
    let mut olds = std::collections::HashMap::new();
    let mut news = std::collections::HashMap::new();
    for change in changes {
        cancel.check()?;
        let twice = olds
            .put(change.path.as_str(), change.line)
            .map(|first| (first, change.path.as_str()))
            .or_else(|| {
                let path = change.new_path()?;
                news.put(path, change.line).map(|first| (first, path))
            });
        if let Some((first, path)) = twice {
            return Err(wrong(
                change.line,
                format_args!("{} is named at line {first}, too", quoted(path)),
            )
            .with_hint("Put all changes of one file into one section"));
        }
    }
    for change in changes {
        cancel.check()?;
        let Some(path) = change.new_path() else { continue };
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
        if let Some(file) = above.find(|above| news.contains_key(above)) {
            return Err(wrong(
                change.line,
                format_args!(
                    "{} lies below {}, which is a file of the patch",
                    quoted(path),
                    quoted(file)
                ),
            )
            .with_hint("Take another path for one of them"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
