//! `GitCommit` and `GitStage`: a commit, and what is staged for one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::readings;
use super::tool::{Alias, Annotations, Output, Tool, WRITES};
use redline_base::budget::{CopiedText, Gather, Grow, Joined};
use redline_base::error::escaped;
use redline_rows::{
    Col, HasList, ListOf, Out, Row, Written, bigint, structures, varchar, varchars,
};

/// Commits files and hunks.
pub struct GitCommit;

/// Stages files and hunks, or unstages them.
pub struct GitStage;

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
    /// Paths, hunks of GitDiff with ids = true, or a git diff.
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
        let mut text = self.message.copied_text();
        if let Some(commit) = &self.commit_id {
            text.add(format!("\ncommit_id: {commit}"));
        }
        for CommittedFile { path, kind, lines_added, lines_removed, .. } in &self.files {
            text.add(format!("\n{kind} {} +{lines_added} -{lines_removed}", escaped(path)));
        }
        if !self.left_out.is_empty() {
            let paths: Vec<_> = self.left_out.iter().map(|path| escaped(path)).gather();
            text.add(format!("\nnot committed: {}", paths.joined(", ")));
        }
        if let (Some(id), Some(_)) = (&self.id, &self.commit_id) {
            text.add(format!("\nundo takes it back: id = {id}"));
        }
        text.add('\n');
        text
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}

impl Row for CommittedFile {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The file, from the root of the repository", |file, out| {
            out.text(file.path.as_str())
        }),
        varchar("kind", "`create`, `update`, `delete` or `mode`", |file, out| out.text(file.kind)),
        bigint("lines_added", "Added lines", |file| file.lines_added.into()),
        bigint("lines_removed", "Removed lines", |file| file.lines_removed.into()),
        varchar("base_oid", "The git blob id before; NULL for a new file", |file, out| {
            out.text(file.base_oid.as_deref())
        }),
        varchar("oid", "The git blob id after; NULL if deleted", |file, out| {
            out.text(file.oid.as_deref())
        }),
    ];
}

impl Row for CommitResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "id",
            "The operation, as redline_log() has it; NULL if nothing was written",
            |it, out| out.text(it.id.as_deref()),
        ),
        varchar("outcome", "`applied` or `would_apply`", |it, out| out.text(it.outcome)),
        varchar("commit_id", "The commit; NULL if only the index changes", |it, out| {
            out.text(it.commit_id.as_deref())
        }),
        varchar("branch", "The branch that HEAD names; NULL for a detached HEAD", |it, out| {
            out.text(it.branch.as_deref())
        }),
        structures::<Self, CommittedFile>("files", "The files that change"),
        varchars(
            "left_out",
            "Tracked files that still differ from the commit, 100 at most; empty if only the index changes",
            |it, out| out.texts(it.left_out.iter().map(String::as_str)),
        ),
        varchar("message", "What happened, in one line", |it, out| out.text(it.message.as_str())),
    ];
}

impl HasList<CommittedFile> for CommitResult {
    fn list(result: &Self, out: Out<'_, ListOf<CommittedFile>>) -> Written {
        out.all(&result.files)
    }
}
