//! `GitDiff`, `GitDiffSummary` and `GitDiffFile`: two sides of a repository; `GitShow`: a commit
//! and its parent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::history::shown_refs;
use super::room::Rest;
use super::tool::{Alias, Output, Tool};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::counted;
use redline_text::Whitespace;

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
    const DESCRIPTION: &'static str = "Compares revisions: totals, files, then hunks, page by page. Examples: \
         from = main...topic; from = HEAD, to = INDEX (staged)";
    const ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["file", "renames"];
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
    const UNLISTED: &'static [&'static str] = &["ignore_whitespace", "renames"];
    type Arguments = GitDiffSummaryArguments;
    type Output = Compared;
}

/// Compares one file between two sides.
pub struct GitDiffFile;

impl Tool for GitDiffFile {
    const NAME: &'static str = "GitDiffFile";
    const TITLE: &'static str = "Diff one file";
    const DESCRIPTION: &'static str =
        "Shows what changed in one file. Example: file = src/main.rs, from = HEAD~1";
    const ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["ignore_whitespace", "renames", "ids"];
    type Arguments = GitDiffFileArguments;
    type Output = Compared;
}

/// Shows a commit.
pub struct GitShow;

impl Tool for GitShow {
    const NAME: &'static str = "GitShow";
    const TITLE: &'static str = "Show a commit";
    const DESCRIPTION: &'static str = "Shows a commit: its message, then what it changed as GitDiff. \
         Example: rev = HEAD~1";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("commit", "rev"),
        Alias::Means("revision", "rev"),
        Alias::Means("ref", "rev"),
        Alias::Means("sha", "rev"),
        Alias::Means("hash", "rev"),
        Alias::Means("id", "rev"),
        Alias::Means("commit_id", "rev"),
        Alias::Means("commit_hash", "rev"),
        Alias::Means("path", "repo"),
        Alias::Means("repo_path", "repo"),
        Alias::Means("context", "context_lines"),
        Alias::Means("file", "paths"),
        Alias::Means("file_path", "paths"),
        Alias::Say("range", "Give rev, or call GitLog or GitDiff for a range"),
        Alias::Say("limit", "Give max_bytes, and cursor to go on"),
    ];
    const UNLISTED: &'static [&'static str] = &["merges"];
    type Arguments = GitShowArguments;
    type Output = Compared;
}

/// The arguments of `GitDiff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitDiffArguments {
    pub from: String,
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
    /// Name each hunk.
    pub ids: Option<bool>,
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
        /// Name each hunk.
        ids: Option<bool>,
        cursor: Option<String>;
}

/// The arguments of `GitShow`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitShowArguments {
    /// Default: HEAD.
    pub rev: Option<String>,
    pub repo: Option<String>,
    pub paths: Option<Vec<String>>,
    pub context_lines: Option<i64>,
    /// first_parent (default) or combined.
    #[schemars(with = "Option<String>")]
    pub merges: Option<ShownMerges>,
    pub cursor: Option<String>,
}

/// The side with which a merge is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownMerges {
    /// Its first parent.
    FirstParent,
    /// All its parents at once: what differs from each is shown.
    Combined,
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
            .with_hint("Give ids of answers with ids = true, or a..b as an answer names it"));
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
    /// Id of its lines.
    pub hunk_id: String,
    /// Id of its lines and context, for except_ids.
    pub context_id: String,
    /// Whether its lines were seen, with something else around them.
    pub known_lines: bool,
}

/// The totals of a comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Changed files, on all pages.
    pub files_changed: u64,
    /// Added lines in all files.
    pub additions: u64,
    /// Removed lines in all files.
    pub deletions: u64,
}

/// The header of a commit.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CommitWords {
    /// Its id.
    pub commit_id: String,
    /// Its parents.
    pub parent_ids: Vec<String>,
    /// The author: name and address.
    pub author: String,
    /// The author date, in UTC.
    pub author_date: Option<String>,
    /// The committer.
    pub committer: String,
    /// The date.
    pub committer_date: Option<String>,
    /// The references that point to it.
    pub refs: Vec<String>,
    /// Its message.
    pub message: String,
}

impl CommitWords {
    /// Returns the header of a commit for the first page.
    pub fn text(&self) -> String {
        let Self { commit_id, parent_ids, author, committer, refs, message, .. } = self;
        let date = |date: &Option<String>| date.clone().unwrap_or_else(|| "(no date)".to_owned());
        let mut text = format!("commit {commit_id}\n");
        if !refs.is_empty() {
            text.push_str(&format!("refs: {}\n", shown_refs(refs)));
        }
        match parent_ids.as_slice() {
            [] => text.push_str("parents: none\n"),
            [_] => {}
            several => text.push_str(&format!("parents: {}\n", several.join(" "))),
        }
        text.push_str(&format!("author: {author} {}\n", date(&self.author_date)));
        if (committer, &self.committer_date) != (author, &self.author_date) {
            text.push_str(&format!("committer: {committer} {}\n", date(&self.committer_date)));
        }
        text.push('\n');
        // Indented, so that no line of a message looks like redline's words.
        for line in message.trim_end().split('\n') {
            let indent = if line.is_empty() { "" } else { "    " };
            text.push_str(&format!("{indent}{line}\n"));
        }
        text.push('\n');
        text
    }

    /// Returns the start of a later page.
    pub fn short_text(&self) -> String {
        format!("commit {}, continued\n\n", self.commit_id)
    }
}

/// The answer of the tools that compare: a page of a comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Compared {
    /// The page.
    #[serde(skip)]
    pub text: String,
    /// The commit that is compared with its parent.
    #[serde(skip)]
    pub commit_id: Option<String>,
    /// The totals of all pages.
    #[serde(flatten)]
    pub totals: Totals,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The header of the commit, on its first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub commit: Option<CommitWords>,
    /// The files listed on this page, if values are requested.
    #[schemars(skip)]
    pub files: Vec<FileChange>,
    /// Its hunks, unless only files are listed.
    #[serde(flatten)]
    #[schemars(skip)]
    pub hunks: Option<ComparedHunks>,
}

/// The hunks of a page, if values are requested.
#[derive(Debug, Default, Serialize)]
pub struct ComparedHunks {
    /// The hunks below git's headers.
    pub patch: String,
    /// The names of those that end on the page, where they have any.
    pub hunks: Vec<HunkNames>,
    /// How many hunks are left out that were seen, on all pages.
    pub hunks_seen: usize,
}

impl Output for Compared {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn line(&self) -> String {
        let Totals { files_changed, additions, deletions } = self.totals;
        let [files, added, removed] =
            [(files_changed, "file"), (additions, "insertion"), (deletions, "deletion")]
                .map(|(count, noun)| counted(count, noun));
        let totals = format!("{files} changed, {added}, {removed}");
        match &self.commit_id {
            Some(id) => format!("commit {id}: {totals}"),
            None => totals,
        }
    }

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}
