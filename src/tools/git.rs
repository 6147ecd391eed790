//! `GitDiff`, `GitDiffSummary` and `GitDiffFile`: two sides of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::text::Whitespace;

/// Which white space is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IgnoreWhitespace {
    /// None.
    None,
    /// All of it.
    All,
    /// Changes of its amount.
    Change,
    /// What is at the end of a line.
    Eol,
    /// A carriage return at the end of a line.
    CrAtEol,
}

impl From<IgnoreWhitespace> for Whitespace {
    fn from(given: IgnoreWhitespace) -> Self {
        match given {
            IgnoreWhitespace::None => Self::Exact,
            IgnoreWhitespace::All => Self::All,
            IgnoreWhitespace::Change => Self::Change,
            IgnoreWhitespace::Eol => Self::Eol,
            IgnoreWhitespace::CrAtEol => Self::CrAtEol,
        }
    }
}

/// The arguments of `GitDiff`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiffArguments {
    /// The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
    pub from_rev: String,
    /// The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
    pub to_rev: Option<String>,
    /// The only file to show, by its path from the repository root; not together with paths.
    pub file_path: Option<String>,
    /// The repository, or a directory in it. Default: the current directory, or the only sandbox.
    pub path: Option<String>,
    /// Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
    pub paths: Option<Vec<String>>,
    /// Unchanged lines around a change, -1 for the whole file. Default: 3.
    #[schemars(range(min = -1))]
    pub context_lines: Option<i64>,
    /// Whitespace to ignore: none (default), all, change, eol or cr_at_eol.
    #[schemars(with = "Option<String>")]
    pub ignore_whitespace: Option<IgnoreWhitespace>,
    /// Detect renames: a moved file is one entry with its old path. Default: false.
    pub renames: Option<bool>,
    /// Maximum bytes of the whole answer, 2000 or more. Default: 48000.
    #[schemars(range(min = 2000))]
    pub max_bytes: Option<i64>,
    /// next_cursor of the previous answer, to continue there; keep the other arguments unchanged.
    pub cursor: Option<String>,
}

/// The arguments of `GitDiffSummary`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiffSummaryArguments {
    /// The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
    pub from_rev: String,
    /// The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
    pub to_rev: Option<String>,
    /// The repository, or a directory in it. Default: the current directory, or the only sandbox.
    pub path: Option<String>,
    /// Git pathspecs that limit which files are compared: directories, *.rs, :!docs. Default: all files.
    pub paths: Option<Vec<String>>,
    /// Whitespace to ignore when counting lines: none (default), all, change, eol or cr_at_eol.
    #[schemars(with = "Option<String>")]
    pub ignore_whitespace: Option<IgnoreWhitespace>,
    /// Detect renames: a moved file is one entry with its old path. Default: false.
    pub renames: Option<bool>,
    /// Maximum bytes of the whole answer, 2000 or more. Default: 48000.
    #[schemars(range(min = 2000))]
    pub max_bytes: Option<i64>,
    /// next_cursor of the previous answer, to continue there; keep the other arguments unchanged.
    pub cursor: Option<String>,
}

/// The arguments of `GitDiffFile`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiffFileArguments {
    /// The file, by its path from the repository root.
    pub file_path: String,
    /// The old side: a revision, INDEX, WORKTREE or EMPTY; without to_rev also a range, a..b or a...b.
    pub from_rev: String,
    /// The new side, likewise. If omitted, from_rev is a range or is compared with the work tree.
    pub to_rev: Option<String>,
    /// The repository, or a directory in it. Default: the current directory, or the only sandbox.
    pub path: Option<String>,
    /// Unchanged lines around a change, -1 for the whole file. Default: 3.
    #[schemars(range(min = -1))]
    pub context_lines: Option<i64>,
    /// Whitespace to ignore: none (default), all, change, eol or cr_at_eol.
    #[schemars(with = "Option<String>")]
    pub ignore_whitespace: Option<IgnoreWhitespace>,
    /// Detect renames: compare a moved file with its origin. Default: false.
    pub renames: Option<bool>,
    /// Maximum bytes of the whole answer, 2000 or more. Default: 48000.
    #[schemars(range(min = 2000))]
    pub max_bytes: Option<i64>,
    /// next_cursor of the previous answer, to continue there; keep the other arguments unchanged.
    pub cursor: Option<String>,
}

impl GitDiffArguments {
    /// Checks what the types do not tell.
    pub fn checked(self) -> Result<Self> {
        if self.file_path.is_some() && self.paths.as_ref().is_some_and(|paths| !paths.is_empty()) {
            return Err(Error::invalid_args("GitDiff was given both file_path and paths")
                .with_hint("Give file_path for one file, or paths for those that pathspecs name"));
        }
        Ok(self)
    }
}

impl From<GitDiffSummaryArguments> for GitDiffArguments {
    fn from(given: GitDiffSummaryArguments) -> Self {
        let GitDiffSummaryArguments {
            from_rev,
            to_rev,
            path,
            paths,
            ignore_whitespace,
            renames,
            max_bytes,
            cursor,
        } = given;
        Self {
            from_rev,
            to_rev,
            file_path: None,
            path,
            paths,
            context_lines: None,
            ignore_whitespace,
            renames,
            max_bytes,
            cursor,
        }
    }
}

impl From<GitDiffFileArguments> for GitDiffArguments {
    fn from(given: GitDiffFileArguments) -> Self {
        let GitDiffFileArguments {
            file_path,
            from_rev,
            to_rev,
            path,
            context_lines,
            ignore_whitespace,
            renames,
            max_bytes,
            cursor,
        } = given;
        Self {
            from_rev,
            to_rev,
            file_path: Some(file_path),
            path,
            paths: None,
            context_lines,
            ignore_whitespace,
            renames,
            max_bytes,
            cursor,
        }
    }
}

/// A changed file, as file_changes has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// The path from the root of the repository; of a deleted file, the old one.
    pub file_path: String,
    /// What happened: added, deleted, modified, type_changed, renamed, copied or unmerged.
    pub status: &'static str,
    /// Bytes of the old content; null for a submodule and where there was none.
    pub old_size: Option<u64>,
    /// Bytes of the new content, likewise.
    pub new_size: Option<u64>,
    /// The path that a renamed or copied file was made from.
    pub old_path: Option<String>,
    /// How alike both contents of a renamed or copied file are, in percent.
    pub similarity: Option<u8>,
    /// Added lines; null for a binary file.
    pub additions: Option<u64>,
    /// Removed lines; null for a binary file.
    pub deletions: Option<u64>,
    /// Whether the file is binary.
    pub is_binary: bool,
    /// git's mode of the old file, such as 100644.
    pub old_mode: Option<String>,
    /// git's mode of the new file.
    pub new_mode: Option<String>,
    /// The id of the old content.
    pub old_oid: Option<String>,
    /// The id of the new content.
    pub new_oid: Option<String>,
}

/// What `GitDiff` and `GitDiffFile` answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiffResult {
    /// Number of changed files, on all pages.
    pub files_changed: u64,
    /// Added lines in all files.
    pub additions: u64,
    /// Removed lines in all files.
    pub deletions: u64,
    /// The files listed on this page; each file is listed once.
    pub files: Vec<FileChange>,
    /// The hunks of this page below git's headers: each hunk stands on one page, its file's headers on
    /// each page that has one. A hunk too large for a page comes in parts, each behind a line that
    /// says so.
    pub patch: String,
    /// Whether another page follows.
    pub truncated: bool,
    /// The cursor for the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// What `GitDiffSummary` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitDiffSummaryResult {
    /// Number of changed files, on all pages.
    pub files_changed: u64,
    /// Added lines in all files.
    pub additions: u64,
    /// Removed lines in all files.
    pub deletions: u64,
    /// The files listed on this page; each file is listed once.
    pub files: Vec<FileChange>,
    /// Whether another page follows.
    pub truncated: bool,
    /// The cursor for the next page; null on the last page.
    pub next_cursor: Option<String>,
}
