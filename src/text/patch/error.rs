//! Errors of reading a patch.

use redline_base::budget::{Grow, GrowBy, text_of};
use thiserror::Error;

use super::super::cancel_token::Stopped;

/// Bytes of a line that an error message shows.
const EXCERPT_BYTES: usize = 80;

/// A patch that cannot be read or reversed.
///
/// `line` is the 1-based line of the patch; `found` is a bounded, escaped excerpt of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatchError {
    /// Text without any file header or hunk.
    #[error(
        "the text holds no patch (it starts with {found}); give a unified diff: `--- old`, `+++ new` and `@@ … @@` lines"
    )]
    NoPatch {
        /// The first line that is not blank.
        found: String,
    },
    /// A hunk after other text, with no file header before it.
    #[error(
        "line {line}: a hunk header without a file header before it; put the `---` and `+++` lines directly before the hunks"
    )]
    HunkWithoutFile {
        /// Where the hunk header is.
        line: u32,
    },
    /// A merge shown against several parents (`diff --cc`).
    #[error(
        "line {line}: {found} starts a combined diff of a merge, which cannot be applied; ask for a diff against one parent (`git diff <parent> <merge>`)"
    )]
    CombinedDiff {
        /// Where the file header is.
        line: u32,
        /// The line.
        found: String,
    },
    /// A header line that breaks its format.
    #[error("line {line}: {found} is not a well-formed header line; expected {expected}")]
    Header {
        /// Where the header line is.
        line: u32,
        /// The line.
        found: String,
        /// The format the line should have.
        expected: &'static str,
    },
    /// File names that cannot be told apart, or that contradict one another.
    #[error(
        "line {line}: cannot tell the names of the file from {found}: {reason}; write the same names in every header line, quoted as git does"
    )]
    Names {
        /// The line of the `diff --git` or `Binary files` line.
        line: u32,
        /// The line.
        found: String,
        /// The contradiction.
        reason: &'static str,
    },
    /// A file header that announces a change, without a change after it.
    #[error(
        "line {line}: the file header is followed by {found} instead of a hunk; the patch may have been cut"
    )]
    NoChange {
        /// Where the file header is.
        line: u32,
        /// The line after the header.
        found: String,
    },
    /// A created file with old lines, or a deleted file with new ones.
    #[error(
        "line {line}: the header says that the file is {status}, but a hunk covers {lines} of its {side} lines; mend the header or the hunk"
    )]
    Contradiction {
        /// Where the hunk header is.
        line: u32,
        /// `added` or `deleted`.
        status: &'static str,
        /// `old` or `new`.
        side: &'static str,
        /// The number of lines that the hunk covers there.
        lines: u32,
    },
    /// A line that starts with `@@ -` but is not a hunk header.
    #[error(
        "line {line}: {found} is not a hunk header; expected `@@ -start,count +start,count @@` with numbers below 4294967296"
    )]
    HunkHeader {
        /// Where the hunk header is.
        line: u32,
        /// The line.
        found: String,
    },
    /// A hunk header that announces more lines than the patch has left.
    #[error(
        "line {line}: the hunk header announces {announced} lines, but the patch ends after {remaining} more; the patch may have been cut"
    )]
    HunkTooLong {
        /// Where the hunk header is.
        line: u32,
        /// The larger of the two counts.
        announced: u32,
        /// The lines after the header.
        remaining: usize,
    },
    /// A hunk body that does not have the lines its header announces.
    #[error(
        "line {line}: {found} does not fit the hunk whose header at line {hunk_line} announces {old_announced} old and {new_announced} new lines; {old_found} old and {new_found} new lines were read; correct the counts or the body"
    )]
    HunkCounts {
        /// The first line that does not fit.
        line: u32,
        /// Where the hunk header is.
        hunk_line: u32,
        /// The old count of the header.
        old_announced: u32,
        /// The new count of the header.
        new_announced: u32,
        /// The old lines read before this line.
        old_found: u32,
        /// The new lines read before this line.
        new_found: u32,
        /// The line.
        found: String,
    },
    /// A hunk with only context lines, which git treats as a broken patch.
    #[error("line {line}: the hunk changes nothing; leave it out")]
    HunkEmpty {
        /// Where the hunk header is.
        line: u32,
    },
    /// `\ No newline at end of file` after no line or an empty one, or before more lines of its
    /// side.
    #[error(
        "line {line}: `\\ No newline at end of file` must follow the last line of its side of the file, which is not empty; move or drop it"
    )]
    NoNewline {
        /// The marker, or the line that may not follow it.
        line: u32,
    },
    /// A `GIT binary patch` block that breaks its format.
    #[error(
        "line {line}: {found} is not a line of a `GIT binary patch` block; print the patch again with `git diff --binary`"
    )]
    BinaryPatch {
        /// Where the line is.
        line: u32,
        /// The line.
        found: String,
    },
    /// A copy: undoing it is a deletion whose contents the patch does not hold.
    #[error(
        "line {line}: a copy cannot be turned round, because the patch does not hold the contents to delete; print the patch again without copy detection"
    )]
    CopyNotReversible {
        /// Where the file header is.
        line: u32,
    },
    /// The query ended.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A `GIT binary patch` with only the forward direction.
    #[error(
        "line {line}: the binary patch holds no way back; print it again with `git diff --binary`"
    )]
    BinaryNotReversible {
        /// Where the file header is.
        line: u32,
    },
}

/// Returns a quoted and escaped excerpt of a line, at most about 80 bytes of it.
pub(super) fn excerpt(line: &[u8]) -> String {
    let shown = line.get(..EXCERPT_BYTES).unwrap_or(line);
    let cut = shown.len() < line.len();
    let text = text_of(shown);
    // A character that the cut splits is not invalid.
    let text = if cut { text.trim_end_matches('\u{FFFD}') } else { &text };
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '\'' => quoted.add(char),
            _ => quoted.add_all(char.escape_debug()),
        }
    }
    quoted.add_slice(if cut { "…\"" } else { "\"" });
    quoted
}

/// Returns an excerpt of a line that may be missing because the input ended.
pub(super) fn excerpt_or_end(line: Option<&[u8]>) -> String {
    line.map_or_else(|| "the end of the patch".to_owned(), excerpt)
}

impl From<PatchError> for redline_base::error::Error {
    fn from(error: PatchError) -> Self {
        match error {
            PatchError::Stopped(stopped) => stopped.into(),
            error => {
                Self::invalid_args(format!("the patch cannot be used: {error}")).with_source(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_bounded_and_shows_no_control_characters() {
        let long = "é".repeat(100);
        let text = excerpt(long.as_bytes());
        assert!(text.chars().count() < 50, "{text}");
        assert!(!text.contains('\u{FFFD}'), "{text}");
        assert_eq!(excerpt(b"\x1b[2J\r\"\xff"), "\"\\u{1b}[2J\\r\\\"\u{FFFD}\"");
        assert_eq!(excerpt("don't \u{202e}".as_bytes()), "\"don't \\u{202e}\"");
        assert_eq!(excerpt_or_end(None), "the end of the patch");
    }
}
