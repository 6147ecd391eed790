//! `GitDiff`, `GitDiffSummary` and `GitDiffFile`: two sides of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tool::{Alias, Output, Tool};
use crate::error::{Error, Result, quoted};
use crate::text::Whitespace;

/// The aliases that all git tools share.
const ALIASES: &[Alias] = &[
    Alias::Means("from_rev", "from"),
    Alias::Means("to_rev", "to"),
    Alias::Means("ref1", "from"),
    Alias::Means("ref2", "to"),
    Alias::Means("base", "from"),
    Alias::Means("head", "to"),
    Alias::Means("target", "to"),
    Alias::Means("source", "from"),
    Alias::Means("base_ref", "from"),
    Alias::Means("head_ref", "to"),
    Alias::Means("old", "from"),
    Alias::Means("new", "to"),
    Alias::Means("rev", "from"),
    Alias::Means("commit", "from"),
    Alias::Say("staged", STAGED),
    Alias::Say("cached", STAGED),
    Alias::Say("stat", "Call GitDiffSummary for the list alone"),
    Alias::Say("untracked", "Call GitStatus, which lists untracked files"),
    Alias::Means("pathspec", "paths"),
    Alias::Means("files", "paths"),
    Alias::Means("max_length", "max_bytes"),
    Alias::Means("range", "from"),
    Alias::Means("path", "repo"),
    Alias::Means("repo_path", "repo"),
    Alias::Means("file_path", "file"),
    Alias::Means("filename", "file"),
    Alias::Means("unified", "context_lines"),
    Alias::Means("context", "context_lines"),
    Alias::Means("seen", "except_ids"),
    Alias::Means("hunk_ids", "except_ids"),
    Alias::Means("context_ids", "except_ids"),
    Alias::Say("limit", "Give max_bytes, and cursor to go on"),
    Alias::Say("offset", "Give cursor = next_cursor of the previous answer to go on"),
];

/// The advice for staged changes.
const STAGED: &str =
    "Give from = HEAD, to = INDEX for staged changes; from = INDEX for unstaged ones";

/// Returns the sides, also from words that agents take from git's command line.
fn sides(from: String, to: Option<String>) -> Result<(String, Option<String>)> {
    let word = |given: &str| given.trim_start_matches('-').to_ascii_lowercase();
    if from.starts_with('-') && matches!(&word(&from)[..], "cached" | "staged") {
        return Err(Error::invalid_args(format!("from is {}", quoted(&from))).with_hint(STAGED));
    }
    let is_work_tree = |given: &str| {
        matches!(
            &word(given)[..],
            "working" | "work_tree" | "working_tree" | "working tree" | "work tree"
        )
    };
    let side = |given: String| {
        if is_work_tree(&given) { "WORKTREE".to_owned() } else { given }
    };
    Ok((side(from), to.map(side)))
}

/// Compares two sides, hunks included.
pub struct GitDiff;

impl Tool for GitDiff {
    const NAME: &'static str = "GitDiff";
    const TITLE: &'static str = "Diff revisions";
    const DESCRIPTION: &'static str = "Shows what changed: totals, files, then hunks, page by page. Examples: \
         from = main...topic; from = HEAD, to = INDEX (staged)";
    const ALIASES: &'static [Alias] = ALIASES;
    type Arguments = GitDiffArguments;
    type Output = Compared;
}

/// Lists the files that differ between two sides.
pub struct GitDiffSummary;

impl Tool for GitDiffSummary {
    const NAME: &'static str = "GitDiffSummary";
    const TITLE: &'static str = "List changed files";
    const DESCRIPTION: &'static str =
        "Lists changed files, like git diff --stat: start here. Example: from = main...topic";
    const ALIASES: &'static [Alias] = ALIASES;
    type Arguments = GitDiffSummaryArguments;
    type Output = Listed;
}

/// Compares one file between two sides.
pub struct GitDiffFile;

impl Tool for GitDiffFile {
    const NAME: &'static str = "GitDiffFile";
    const TITLE: &'static str = "Diff one file";
    const DESCRIPTION: &'static str =
        "Shows what changed in one file. Example: file = src/main.rs, from = HEAD~1";
    const ALIASES: &'static [Alias] = ALIASES;
    type Arguments = GitDiffFileArguments;
    type Output = Compared;
}

/// The arguments of `GitDiff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitDiffArguments {
    /// Revision, INDEX, WORKTREE or EMPTY; without to a..b, a...b.
    pub from: String,
    /// Default: WORKTREE.
    pub to: Option<String>,
    pub repo: Option<String>,
    pub file: Option<String>,
    /// Pathspecs: *.rs, :!docs.
    pub paths: Option<Vec<String>>,
    /// Default: 3; -1: whole file.
    pub context_lines: Option<i64>,
    /// none (default), all, change, eol, cr_at_eol.
    #[schemars(with = "Option<String>")]
    pub ignore_whitespace: Option<Whitespace>,
    #[schemars(extend("default" = true))]
    pub renames: Option<bool>,
    /// Hunks seen: ids, or a..b.
    pub except_ids: Option<Vec<String>>,
    pub cursor: Option<String>,
}

/// Declares the arguments of a tool that takes some of those of `GitDiff`.
macro_rules! some_of_git_diff {
    ($($(#[$doc:meta])* $name:ident: $($(#[$meta:meta])* $field:ident: $kind:ty),+;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(#[allow(missing_docs)] $(#[$meta])* pub $field: $kind,)+
        }

        impl From<$name> for GitDiffArguments {
            fn from(given: $name) -> Self {
                Self { $($field: given.$field.into(),)+ ..Self::default() }
            }
        }
    )+};
}

some_of_git_diff! {
    /// The arguments of `GitDiffSummary`.
    GitDiffSummaryArguments:
        from: String,
        to: Option<String>,
        repo: Option<String>,
        paths: Option<Vec<String>>,
        #[schemars(with = "Option<String>")]
        ignore_whitespace: Option<Whitespace>,
        renames: Option<bool>,
        cursor: Option<String>;
    /// The arguments of `GitDiffFile`.
    GitDiffFileArguments:
        file: String,
        from: String,
        to: Option<String>,
        repo: Option<String>,
        context_lines: Option<i64>,
        #[schemars(with = "Option<String>")]
        ignore_whitespace: Option<Whitespace>,
        renames: Option<bool>,
        cursor: Option<String>;
}

impl GitDiffArguments {
    /// Checks the rules that types cannot express.
    ///
    /// # Errors
    /// `invalid_args` for arguments that exclude each other.
    pub fn checked(mut self) -> Result<Self> {
        (self.from, self.to) = sides(self.from, self.to)?;
        if self.file.is_some() && self.paths.as_ref().is_some_and(|paths| !paths.is_empty()) {
            return Err(Error::invalid_args("GitDiff was given both file and paths")
                .with_hint("Give file for one file, or paths for those that pathspecs name"));
        }
        let is_id = |id: &&String| id.contains("..") || is_hunk_id(id);
        if let Some(other) = self.except_ids.iter().flatten().find(|id| !is_id(id)) {
            return Err(Error::invalid_args(format!(
                "except_ids: {} is neither the id of a hunk nor a range",
                quoted(other)
            ))
            .with_hint(
                "Give context_id of answers with format = json, or a..b as an answer names it",
            ));
        }
        Ok(self)
    }
}

/// Tells whether a text has the form of the names of hunks.
fn is_hunk_id(id: &str) -> bool {
    let is_one = |id: &str| {
        let (digest, number) = id.split_once('-').unwrap_or((id, "2"));
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        digest.len() == 40 && digest.bytes().all(is_hex) && number.parse::<u32>().is_ok()
    };
    id.split('+').all(is_one)
}

/// A changed file: the columns of file_changes.
pub type FileChange = Map<String, Value>;

/// The names of a hunk on a page, which stay the same when a branch is rebased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HunkNames {
    /// The path of its file.
    pub file_path: String,
    /// Of its lines.
    pub hunk_id: String,
    /// Of its lines and what is around them: what except_ids takes.
    pub context_id: String,
    /// Whether its lines were seen, with something else around them.
    pub known_lines: bool,
}

/// What the git tools answer beside the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Changed files, on all pages.
    pub files_changed: u64,
    /// Added lines in all files.
    pub additions: u64,
    /// Removed lines in all files.
    pub deletions: u64,
    /// Whether another page follows.
    pub truncated: bool,
    /// The cursor of the next page; null on the last.
    pub next_cursor: Option<String>,
}

/// A page of a comparison as values.
#[derive(Debug, Serialize)]
pub struct ComparedContent {
    /// The files listed on this page, with the columns of file_changes.
    pub files: Vec<FileChange>,
    /// The hunks of this page below git's headers.
    pub patch: String,
    /// The names of those that end on it, where they have any.
    pub hunks: Vec<HunkNames>,
    /// How many hunks are left out that were seen, on all pages.
    pub hunks_seen: usize,
}

/// A page of the list of changed files as values.
#[derive(Debug, Serialize)]
pub struct ListedContent {
    /// The files listed on this page, with the columns of file_changes.
    pub files: Vec<FileChange>,
}

/// The answer of `GitDiff` and `GitDiffFile`: a page of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// The page.
    pub text: String,
    /// The totals of all pages.
    pub totals: Totals,
    /// The files listed on it, if values are requested.
    pub files: Vec<FileChange>,
    /// Its hunks below git's headers, likewise.
    pub patch: String,
    /// The names of its hunks, likewise.
    pub hunks: Vec<HunkNames>,
    /// How many hunks are left out that were seen.
    pub hunks_seen: usize,
}

/// The answer of `GitDiffSummary`: a page of the list.
#[derive(Debug, Clone, Default)]
pub struct Listed(pub Compared);

impl Output for Compared {
    type Facts = Totals;
    type Content = ComparedContent;

    fn text(&self) -> String {
        self.text.clone()
    }

    fn line(&self) -> String {
        let Totals { files_changed, additions, deletions, .. } = self.totals;
        let count =
            |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let [files, added, removed] =
            [(files_changed, "file"), (additions, "insertion"), (deletions, "deletion")]
                .map(|(number, word)| count(number, word));
        format!("{files} changed, {added}, {removed}")
    }

    fn facts(&self) -> Totals {
        self.totals.clone()
    }

    fn content(&self) -> ComparedContent {
        let Self { files, patch, hunks, hunks_seen, .. } = self.clone();
        ComparedContent { files, patch, hunks, hunks_seen }
    }
}

impl Output for Listed {
    type Facts = Totals;
    type Content = ListedContent;

    fn text(&self) -> String {
        self.0.text()
    }

    fn line(&self) -> String {
        self.0.line()
    }

    fn facts(&self) -> Totals {
        self.0.facts()
    }

    fn content(&self) -> ListedContent {
        ListedContent { files: self.0.files.clone() }
    }
}
