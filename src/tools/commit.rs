//! `GitCommit` and `GitStage`: a commit, and what is staged for one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::readings;
use super::tool::{Alias, Annotations, Output, Tool, WRITES};
use redline_base::error::escaped;

/// Commits files and hunks.
pub struct GitCommit;

/// Stages files and hunks, or unstages them.
pub struct GitStage;

/// The names that agents try for the arguments of both.
const ALIASES: &[Alias] = &[
    Alias::Means("repo_path", "repo"),
    Alias::Means("repository", "repo"),
    Alias::Means("files", "what"),
    Alias::Means("paths", "what"),
    Alias::Means("path", "what"),
    Alias::Means("file", "what"),
    Alias::Means("file_path", "what"),
    Alias::Means("pathspec", "what"),
    Alias::Means("hunk_ids", "what"),
    Alias::Means("hunks", "what"),
    Alias::Means("patch", "what"),
    Alias::Means("diff", "what"),
];
/// The advice for a commit that would replace another one.
const AMENDS: &str =
    "A commit is not replaced: make another one, or call undo with the id of this one";
/// The advice for one that is made on another branch.
const BRANCHES: &str = "The branch is the one that is checked out, as GitStatus names it";

impl Tool for GitCommit {
    const NAME: &'static str = "GitCommit";
    const TITLE: &'static str = "Commit";
    const DESCRIPTION: &'static str = "Commits what is staged, or named files and hunks. Example: message = Fix the sum, what = src/a.py";
    const ANNOTATIONS: Annotations = WRITES;
    const ALIASES: &'static [Alias] = &[
        Alias::Means("msg", "message"),
        Alias::Means("commit_message", "message"),
        Alias::Means("title", "message"),
        Alias::Means("subject", "message"),
        Alias::Read("staged", readings::staged, "Leave out what to commit what is staged"),
        Alias::Read("all", readings::all, "Give what = ., or leave it out for what is staged"),
        Alias::Read("add_all", readings::all, "Give what = ., or leave it out for what is staged"),
        Alias::Read("amend", readings::no, AMENDS),
        Alias::Read("allow_empty", readings::no, "A commit must change a file"),
        Alias::Read("no_verify", readings::no, "The host decides what becomes of hooks"),
        Alias::Read("sign", readings::no, "A person signs with git"),
        Alias::Say("branch", BRANCHES),
    ];
    const SHARED_ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["dry_run", "max_bytes"];
    type Arguments = GitCommitArguments;
    type Output = CommitResult;
}

impl Tool for GitStage {
    const NAME: &'static str = "GitStage";
    const TITLE: &'static str = "Stage";
    const DESCRIPTION: &'static str =
        "Stages files and hunks for a commit, or unstages them. Example: what = src/a.py";
    const ANNOTATIONS: Annotations = WRITES;
    const ALIASES: &'static [Alias] = &[
        Alias::Means("reset", "unstage"),
        Alias::Means("remove", "unstage"),
        Alias::Read("all", readings::all, "Give what = . for all files"),
    ];
    const SHARED_ALIASES: &'static [Alias] = ALIASES;
    const UNLISTED: &'static [&'static str] = &["dry_run", "max_bytes"];
    type Arguments = GitStageArguments;
    type Output = CommitResult;
}

/// The arguments of `GitCommit`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitCommitArguments {
    /// Subject, then why.
    pub message: String,
    /// As GitStage. Default: staged.
    pub what: Option<Vec<String>>,
    pub repo: Option<String>,
    /// `Name <address>`.
    pub author: Option<String>,
    /// Write nothing.
    #[schemars(extend("default" = false))]
    pub dry_run: Option<bool>,
}

/// The arguments of `GitStage`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GitStageArguments {
    /// Paths, hunk_ids of GitDiff with format = json, or a git diff.
    pub what: Vec<String>,
    /// Take them out.
    pub unstage: Option<bool>,
    pub repo: Option<String>,
    /// Write nothing.
    #[schemars(extend("default" = false))]
    pub dry_run: Option<bool>,
}

/// A file that a commit or an undo changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommittedFile {
    /// The path: of a commit from the root of the repository, of an undo with its sandbox.
    pub path: String,
    /// `create`, `update`, `delete` or `mode`.
    pub kind: &'static str,
    /// The lines that are added.
    pub lines_added: u64,
    /// The lines that are removed.
    pub lines_removed: u64,
    /// The git blob id before; `None` for a new file.
    pub base_oid: Option<String>,
    /// The git blob id after; `None` for a removed file.
    pub oid: Option<String>,
}

/// The result of a commit, or of staging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommitResult {
    /// The operation; `None` where nothing was written.
    pub id: Option<String>,
    /// `applied` or `would_apply`.
    pub outcome: &'static str,
    /// The commit; `None` if only the index changes.
    pub commit_id: Option<String>,
    /// The branch that HEAD names; `None` for a detached HEAD.
    pub branch: Option<String>,
    /// The files.
    #[schemars(skip)]
    pub files: Vec<CommittedFile>,
    /// Some of the tracked files that still differ from the commit.
    #[schemars(skip)]
    pub left_out: Vec<String>,
    /// What happened, in one line.
    #[schemars(skip)]
    pub message: String,
}

impl Output for CommitResult {
    fn text(&self) -> String {
        let mut text = self.message.clone();
        if let Some(commit) = &self.commit_id {
            text += &format!("\ncommit_id: {commit}");
        }
        for CommittedFile { path, kind, lines_added, lines_removed, .. } in &self.files {
            text += &format!("\n{kind} {} +{lines_added} -{lines_removed}", escaped(path));
        }
        if !self.left_out.is_empty() {
            let paths: Vec<_> = self.left_out.iter().map(|path| escaped(path)).collect();
            text += &format!("\nnot committed: {}", paths.join(", "));
        }
        if let (Some(id), Some(_)) = (&self.id, &self.commit_id) {
            text += &format!("\nundo takes it back: id = {id}");
        }
        text + "\n"
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}
