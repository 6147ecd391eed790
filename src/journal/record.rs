//! An operation as the journal stores it: one line of JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use redline_base::budget::{Copied, Gather, Grow, GrowBy};
use redline_base::limits;
use redline_edit::Digest;

/// The outcome of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was about to be done, and no outcome was recorded: the process ended.
    Begun,
    /// It was done.
    Done,
    /// A person declined it.
    Declined,
    /// It failed.
    Failed,
}

impl Outcome {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
            Self::Declined => "declined",
            Self::Failed => "failed",
        }
    }

    /// Tells whether the operation was not done.
    pub const fn is_refused(self) -> bool {
        matches!(self, Self::Declined | Self::Failed)
    }
}

/// The kind of change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is created.
    Create,
    /// Its content is changed.
    Update,
    /// It is removed.
    Delete,
    /// It is moved to another path.
    Move,
    /// Its permissions are changed.
    Mode,
}

impl ChangeKind {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Move => "move",
            Self::Mode => "mode",
        }
    }

    /// Returns the kind of a change without a move.
    pub fn of(base: Option<&Version>, result: Option<&Version>) -> Self {
        match (base, result) {
            (None, _) => Self::Create,
            (Some(_), None) => Self::Delete,
            (Some(base), Some(result)) if base.sha256 == result.sha256 => Self::Mode,
            (Some(_), Some(_)) => Self::Update,
        }
    }
}

/// A file's content and permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The git blob id of the content.
    pub oid: String,
    /// Its SHA-256, under which it is stored: two contents with the same blob id can be
    /// constructed.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether the file is executable.
    #[serde(default)]
    pub executable: bool,
}

impl Version {
    /// Returns the version of a content with this git blob id.
    pub fn new(content: &[u8], oid: String, executable: bool) -> Self {
        let sha256 = Digest::sha256(content).to_string();
        Self { oid, sha256, bytes: content.len() as u64, executable }
    }
}

/// A file of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The name of the sandbox.
    pub sandbox: String,
    /// Its root, with all links resolved.
    pub root: String,
    /// The path beneath the root.
    pub path: String,
    /// The path before a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// The kind of change; absent if the operation failed before it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeKind>,
    /// The file before; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Version>,
    /// The file afterwards; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Version>,
    /// What changed in the index, by an operation on a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<StagedRecord>,
}

/// The versions of a file in the index before and after an operation, each as git lists it: mode, id,
/// stage, and its flags by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedRecord {
    /// Those before.
    pub old: Vec<String>,
    /// Those after.
    pub new: Vec<String>,
}

impl FileChange {
    /// Returns the path as an agent gives it.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.sandbox, self.path)
    }

    /// Returns the path before a move.
    pub fn old_shown(&self) -> Option<String> {
        self.old_path.as_ref().map(|path| format!("{}/{path}", self.sandbox))
    }
}

/// The approval that allowed an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The approval id.
    pub id: String,
    /// The scope of the approval.
    pub scope: String,
    /// The approver.
    pub given_by: String,
}

/// What an operation did to a git directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRecord {
    /// The repository, as it was named.
    pub repo: String,
    /// The sandbox.
    pub sandbox: String,
    /// Its root, with all links resolved.
    pub root: String,
    /// The short name of the branch that HEAD names; `None` for a detached HEAD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that HEAD is at afterwards; `None` if only the index changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<String>,
    /// The commit that HEAD was at before; `None` before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The parents of the commit that was made; absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parents: Option<Vec<String>>,
    /// What git would have run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
}

/// An operation.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The id.
    pub id: String,
    /// When it began, in microseconds since 1970.
    pub at: i64,
    /// The session.
    pub client: String,
    /// The tool.
    pub tool: String,
    /// The approval, if one was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approved>,
    /// The reason that the caller gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
    /// The stable code of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The number of its files that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// What it did to a git directory; then its files are those of the commit, and none was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<CommitRecord>,
    /// Its files.
    pub files: Vec<FileChange>,
}

impl Clone for Record {
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            at: self.at,
            client: self.client.clone(),
            tool: self.tool.clone(),
            approval: self.approval.clone(),
            reason: self.reason.clone(),
            outcome: self.outcome,
            error: self.error.clone(),
            more: self.more,
            git: self.git.clone(),
            files: self.files.copied_vec(),
        }
    }
}

/// The outcome of an operation that was recorded before it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct End {
    /// The id of the operation.
    pub id: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The stable code of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Further files of the operation before it, which a line has no room for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Rest<'a> {
    /// The id of the operation.
    pub id: Cow<'a, str>,
    /// The files.
    pub files: Cow<'a, [FileChange]>,
}

/// A line of the journal.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum JournalLine {
    /// An operation.
    Record(Box<Record>),
    /// The end of an earlier one.
    End(End),
    /// Further files of an earlier one.
    Rest(Rest<'static>),
}

// serde gives a reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Returns the line of a part of the journal, without its end.
pub(super) fn line_of(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers are always JSON")
}

impl Record {
    /// Returns the versions before and after of all files.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.files.iter().flat_map(|file| file.base.iter().chain(&file.result))
    }

    /// Returns the operation with as many of its first files as a line has room for; the others are
    /// counted.
    pub(super) fn first_line(&self) -> Self {
        let head = Self { files: Vec::new(), more: u64::MAX, ..self.without_files() };
        let count = fitting(&self.files, line_of(&head).len());
        let more = self.more.saturating_add((self.files.len() - count) as u64);
        Self { files: self.files[..count].iter().cloned().gather(), more, ..head }
    }

    fn without_files(&self) -> Self {
        let Self { id, at, client, tool, approval, reason, outcome, error, git, .. } = self;
        Self {
            id: id.clone(),
            at: *at,
            client: client.clone(),
            tool: tool.clone(),
            approval: approval.clone(),
            reason: reason.clone(),
            outcome: *outcome,
            error: error.clone(),
            more: 0,
            git: git.clone(),
            files: Vec::new(),
        }
    }
}

/// Returns how many of the first files a line has room for that has so many bytes without them.
fn fitting(files: &[FileChange], head: usize) -> usize {
    let ends = files.iter().scan(head, |bytes, file| {
        *bytes += line_of(file).len() + 1;
        Some(*bytes)
    });
    ends.take_while(|bytes| *bytes <= limits::JOURNAL_LINE_BYTES).count()
}

/// Returns lines as the log holds them: each but the last with its end.
pub(super) fn joined(lines: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            all.add(b'\n');
        }
        all.add_slice(line);
    }
    all
}

/// Returns the lines of an operation, without the end of the last one: one, and of an operation that
/// was done or has begun further ones for the files that have no room in it.
pub(super) fn lines_of(record: &Record) -> Vec<Vec<u8>> {
    let first = record.first_line();
    let mut lines = vec![line_of(&first)];
    let mut files = &record.files[first.files.len()..];
    while !files.is_empty() && !record.outcome.is_refused() {
        let rest = |files| Rest { id: Cow::Borrowed(&record.id), files: Cow::Borrowed(files) };
        let count = fitting(files, line_of(&rest(&[])).len()).max(1);
        lines.add(line_of(&rest(&files[..count])));
        files = &files[count..];
    }
    lines
}
