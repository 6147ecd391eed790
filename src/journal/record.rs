//! An operation as the journal has it: one line of JSON.

use serde::{Deserialize, Serialize};

use crate::edit::Digest;

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was about to be done, and nothing says what became of it: the process ended.
    Begun,
    /// It was done.
    Done,
    /// A person said no.
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

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is made.
    Create,
    /// Its content is changed.
    Update,
    /// It is removed.
    Delete,
    /// It gets another path.
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
    /// Its SHA-256, by which it is kept: of a blob id two contents can be made.
    pub sha256: String,
    /// Its bytes.
    pub bytes: u64,
    /// Whether the file may be run.
    #[serde(default)]
    pub executable: bool,
}

impl Version {
    /// Returns the version of a content that has this git blob id.
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
    /// Its root, all links resolved.
    pub root: String,
    /// The path beneath the root.
    pub path: String,
    /// The path before a move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What happens; absent where the operation failed before that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeKind>,
    /// The file before; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Version>,
    /// The file afterwards; absent where there is none.
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

/// The yes that allowed an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// The approval id.
    pub id: String,
    /// How much the yes was for.
    pub scope: String,
    /// Who gave it.
    pub given_by: String,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What names it.
    pub id: String,
    /// When it began, in microseconds since 1970.
    pub at: i64,
    /// For whom.
    pub client: String,
    /// By which tool.
    pub tool: String,
    /// What allowed it, where a person had to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approved>,
    /// Why, as the caller said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What became of it.
    pub outcome: Outcome,
    /// The stable code of what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its files.
    pub files: Vec<FileChange>,
}

/// What became of an operation that was recorded before it was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// The operation.
    pub id: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The stable code of what went wrong.
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

impl Record {
    /// Returns the line, without its end.
    pub(super) fn to_line(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers are always JSON")
    }

    /// Returns the versions before and after of all files.
    pub fn versions(&self) -> impl Iterator<Item = &Version> {
        self.files.iter().flat_map(|file| file.base.iter().chain(&file.result))
    }
}

impl End {
    /// Returns the line, without its end.
    pub(super) fn to_line(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts are always JSON")
    }
}
