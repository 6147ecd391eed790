//! Errors of applying a patch to a text.

use thiserror::Error;

use super::super::cancel_token::Stopped;

/// A patch that does not fit the text it is applied to.
///
/// `hunk` is the 1-based number of the hunk in its file, `line` the 1-based line of the patch,
/// `text_line` the 1-based line of the text; excerpts are bounded and escaped.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ApplyError {
    /// The file is binary in the patch.
    #[error(
        "line {line}: the file is binary in the patch, and a binary patch cannot be applied to text; use `git apply`"
    )]
    Binary {
        /// Where the file starts in the patch.
        line: u32,
    },
    /// The patch creates the file, but there is text already.
    #[error(
        "line {line}: the patch creates the file, but the text already has {bytes} bytes; give an empty text, or a patch that modifies it"
    )]
    NotEmpty {
        /// Where the file starts in the patch.
        line: u32,
        /// The size of the text.
        bytes: usize,
    },
    /// The patch deletes the file, but does not remove all of its lines.
    #[error(
        "line {line}: the patch deletes the file, but {bytes} bytes of the text are left over; the text is not the one the patch was made from"
    )]
    NotDeleted {
        /// Where the file starts in the patch.
        line: u32,
        /// The remaining bytes.
        bytes: usize,
    },
    /// A hunk that starts before the end of the one before it.
    #[error(
        "hunk {hunk} (line {line}) starts at line {old_start} of the text, but the hunk before it ends at line {previous_end}; order the hunks by line and let none overlap"
    )]
    Overlap {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The start that its header states.
        old_start: u32,
        /// The last line that the hunk before it covers.
        previous_end: usize,
    },
    /// A hunk that starts after the end of the text.
    #[error(
        "hunk {hunk} (line {line}) starts at line {old_start}, but the text has {text_lines} lines; the text is not the one the patch was made from"
    )]
    BeyondEnd {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The start that its header states.
        old_start: u32,
        /// The lines of the text.
        text_lines: usize,
    },
    /// A line of the text that differs from the patch.
    #[error(
        "hunk {hunk} (line {line}) does not fit at line {text_line} of the text: expected {expected}, found {found}{difference}; make the patch again from this text"
    )]
    Mismatch {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The line of the text.
        text_line: usize,
        /// The line that the patch expects.
        expected: String,
        /// The line of the text, or `the end of the text`.
        found: String,
        /// How the two differ.
        difference: Difference,
    },
    /// A hunk without context after its last change, which means that the file ends there.
    #[error(
        "hunk {hunk} (line {line}) has no context after its last change, so it must end the text, but the text goes on at line {text_line} with {found}; add the lines that follow as context"
    )]
    NotAtEnd {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The first line of the text after the hunk.
        text_line: usize,
        /// That line.
        found: String,
    },
    /// A line would be joined to one that has no newline.
    #[error(
        "hunk {hunk} (line {line}) would put {found} after a line that has no newline at its end; remove that line and add it again with a newline"
    )]
    Glued {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The line that would be joined.
        found: String,
    },
    /// The query ended.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A hunk whose header disagrees with its lines; [`parse`](super::parse()) never returns one.
    #[error(
        "hunk {hunk} (line {line}) announces {announced} old lines from line {old_start}, but has {counted}; correct its header"
    )]
    Counts {
        /// The hunk.
        hunk: usize,
        /// Where its header is.
        line: u32,
        /// The start that its header states.
        old_start: u32,
        /// The old count that its header states.
        announced: u32,
        /// The old lines that it has.
        counted: usize,
    },
}

/// How an expected line differs from the found one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// More than the cases below.
    Content,
    /// Only in a CR at the end of the line.
    LineEnding,
    /// Only in the newline at the end of the file: the text has it, the patch does not.
    NewlineInText,
    /// Only in the newline at the end of the file: the patch has it, the text does not.
    NewlineInPatch,
    /// Only in spaces and tabs.
    Whitespace,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Content => "",
            Self::LineEnding => " (only the line ending differs, LF against CRLF)",
            Self::NewlineInText => {
                " (the text has a newline there, the patch says that the file ends without one)"
            }
            Self::NewlineInPatch => {
                " (the text ends there without a newline, the patch expects one)"
            }
            Self::Whitespace => " (only spaces or tabs differ)",
        })
    }
}
