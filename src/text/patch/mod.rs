//! Patches: parses unified and git diffs, applies them to bytes, and reverses them.
//!
//! [`parse`](parse()) reads the output of `git diff`, `git format-patch`, `diff -u`, `diff -ru` and
//! Python's difflib. [`apply`](apply()) is strict: a hunk is applied exactly where its header says
//! or not at all. [`reverse`](reverse()) prints the patch that undoes another.
//!
//! Everything is bytes: paths and contents need not be UTF-8, and contents are borrowed from the
//! patch. Time is linear in the input, except for sorting the files of a reversed patch; an
//! announced count is not trusted before its lines have been read. `*_within` functions end at the
//! deadline of a query and charge its memory.

mod apply;
mod apply_error;
mod binary;
mod error;
mod header;
mod hunk;
mod lines;
mod parse;
mod path;
mod print;
mod reverse;
mod time;
mod values;
mod work;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use super::diff::LineKind;

pub use apply::{apply, apply_within};
pub use apply_error::{ApplyError, Difference};
pub use error::PatchError;
pub use parse::{Read, parse, parse_within};
pub use path::unquote;
pub use print::{hunk_text, hunk_text_within};
pub use reverse::{reverse, reverse_within};

/// The change of one file in a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch<'a> {
    /// The path before the change, without `a/` and the like; `None` if the file is created.
    ///
    /// Empty when the patch gives no name (a bare hunk, difflib without names).
    pub old_path: Option<Cow<'a, [u8]>>,
    /// The path after the change, without `b/` and the like; `None` if the file is deleted.
    pub new_path: Option<Cow<'a, [u8]>>,
    /// The change of the file as a whole.
    pub status: PatchStatus,
    /// The mode before the change, as git numbers modes (`0o100644`); `None` if not stated.
    pub old_mode: Option<u32>,
    /// The mode after the change; `None` if not stated.
    pub new_mode: Option<u32>,
    /// The blob before the change, hexadecimal and as abbreviated as in the patch; `None` if not
    /// stated or if there is none.
    pub old_oid: Option<&'a str>,
    /// The blob after the change; `None` if not stated or if there is none.
    pub new_oid: Option<&'a str>,
    /// Percent, 0 to 100, of a rename or copy; for a rewrite, 100 minus its dissimilarity.
    pub similarity: Option<u8>,
    /// True for `Binary files … differ` and for `GIT binary patch`; there are no hunks then.
    pub is_binary: bool,
    /// The `GIT binary patch` block as written, from the line after that heading; not decoded.
    pub binary_patch: Option<&'a [u8]>,
    /// The hunks, in the order of the patch.
    pub hunks: Vec<PatchHunk<'a>>,
    /// The 1-based line of the patch on which this file starts.
    pub line: u32,
}

/// One hunk: a run of lines with its place in both files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchHunk<'a> {
    /// The first line in the old file, 1-based; if `old_lines` is 0, the line before the hunk.
    pub old_start: u32,
    /// The number of lines of the old file that the hunk covers.
    pub old_lines: u32,
    /// The first line in the new file, 1-based; if `new_lines` is 0, the line before the hunk.
    pub new_start: u32,
    /// The number of lines of the new file that the hunk covers.
    pub new_lines: u32,
    /// The text after the second `@@`, without the space between.
    pub section: &'a [u8],
    /// The lines, in the order of the patch.
    pub lines: Vec<PatchLine<'a>>,
    /// The 1-based line of the patch that holds the hunk header.
    pub line: u32,
}

/// One line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchLine<'a> {
    /// The side or sides of the line.
    pub kind: LineKind,
    /// The line without its mark and without its LF; a CR before the LF is kept.
    pub content: &'a [u8],
    /// Whether the line has a newline; false only at the end of its file.
    pub newline: bool,
}

/// The change of a file as a whole.
///
/// git prints a change of type (file to symlink) as a deletion followed by an addition of the same
/// path; they stay two [`FilePatch`]es here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchStatus {
    /// The file is created.
    Added,
    /// The file is deleted.
    Deleted,
    /// The contents or the permissions change.
    Modified,
    /// `old mode` and `new mode` are of different types.
    TypeChanged,
    /// The file moves, with or without edits.
    Renamed,
    /// The file is a copy of another that stays.
    Copied,
}

impl PatchStatus {
    /// Returns the name that SQL shows.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::TypeChanged => "type_changed",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
        }
    }
}
