//! An operation as the journal stores it: one line of JSON.

use serde::{Deserialize, Serialize};

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

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Its files.
    pub files: Vec<FileChange>,
}

/// The outcome of an operation that was recorded before it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The id of the operation.
    pub id: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The stable code of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    /// An operation.
    Record(Record),
    /// The end of an earlier one.
    End(End),
}

/// Returns the line of a [`Record`] or an [`End`], without its end.
pub(super) fn line_of(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("texts and numbers are always JSON")
}

impl Record {
    /// Returns the versions before and after of all files.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.files.iter().flat_map(|file| file.base.iter().chain(&file.result))
    }
}
