//! The payloads of an operation on several files: a patch, an undo, or a commit.

use redline_base::strict_json;
use serde::{Deserialize, Serialize};

use super::parts::{Chunk, Head, NotUtf8, is_false};

/// A file of a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchedFile {
    /// The path beneath the root, after the change.
    pub path: String,
    /// The path before the change, of a moved file.
    pub old_path: Option<String>,
    /// `create`, `update`, `delete`, `move` or `mode`.
    pub kind: String,
    /// The lines that are added.
    pub lines_added: u64,
    /// The lines that are removed.
    pub lines_removed: u64,
    /// The git blob id of the current content.
    pub base_oid: Option<String>,
    /// The current kind and permissions, in octal digits.
    pub mode: Option<String>,
    /// Whether the file is executable afterwards.
    pub executable: bool,
    /// Whether tools run the file, by its name.
    #[serde(default, skip_serializing_if = "is_false")]
    pub run_by_tools: bool,
}

/// `type: "patch"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchPayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The files.
    #[serde(deserialize_with = "strict_json::list")]
    pub files: Vec<PatchedFile>,
    /// The changes of all of them, as a git diff.
    #[serde(deserialize_with = "strict_json::text")]
    pub unified_diff: String,
    /// The bytes of `unified_diff` that are not UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_utf8: Vec<NotUtf8>,
    /// The lines of `unified_diff`.
    pub diff_lines: u64,
    /// The operations that it reverts, if it is an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Vec<String>>,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "patch_large"`: the chunks, joined, are the git diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchLargePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The files.
    #[serde(deserialize_with = "strict_json::list")]
    pub files: Vec<PatchedFile>,
    /// The first chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// The lines of the git diff.
    pub diff_lines: u64,
    /// The operations that it reverts, if it is an undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Vec<String>>,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// What a commit says, and where it goes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitFacts {
    /// `commit`, `stage`, `unstage`, or `undo` for HEAD and the index as they were before a call.
    pub action: String,
    /// The branch that moves; `None` for a detached HEAD, and if none moves.
    pub branch: Option<String>,
    /// The ids of the parents; of an undo, the commit that HEAD goes to.
    pub parents: Vec<String>,
    /// Of an undo, the commit that HEAD leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<String>,
    /// The message.
    #[serde(default, deserialize_with = "strict_json::optional_text")]
    pub message: Option<String>,
    /// The author, as `Name <address>`.
    pub author: Option<String>,
    /// The committer.
    pub committer: Option<String>,
    /// What git would run, and is not run.
    pub not_run: Vec<String>,
    /// A digest of HEAD, the index and the people: a payload of another state is another one.
    pub state: String,
}

/// `type: "commit"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitPayload {
    /// What it is about; the path is that of the repository.
    #[serde(flatten)]
    pub head: Head,
    /// What it says.
    #[serde(flatten)]
    pub facts: CommitFacts,
    /// The files, by their paths from the root of the repository.
    #[serde(deserialize_with = "strict_json::list")]
    pub files: Vec<PatchedFile>,
    /// All of it as one text: branch, parents, people and message, then the changes as a git diff.
    #[serde(deserialize_with = "strict_json::text")]
    pub unified_diff: String,
    /// The bytes of `unified_diff` that are not UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_utf8: Vec<NotUtf8>,
    /// The lines of `unified_diff`.
    pub diff_lines: u64,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "commit_large"`: the chunks, joined, are the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitLargePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// What it says.
    #[serde(flatten)]
    pub facts: CommitFacts,
    /// The files.
    #[serde(deserialize_with = "strict_json::list")]
    pub files: Vec<PatchedFile>,
    /// The first chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// The lines of the text.
    pub diff_lines: u64,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

impl CommitFacts {
    /// Returns the text before the diff. Each line begins with a word, or of the message with four
    /// spaces, so that none can pass for a line of a diff.
    pub fn text(&self) -> String {
        let mut text = match (self.action.as_str(), &self.branch) {
            ("commit", Some(branch)) => format!("Commit to the branch {branch}\n"),
            ("commit", None) => "Commit to a detached HEAD, on no branch\n".to_owned(),
            ("stage", _) => "Stage for the next commit\n".to_owned(),
            ("undo", Some(branch)) => format!("Move the branch {branch}\n"),
            ("undo", None) if self.leaves.is_some() => "Move a detached HEAD\n".to_owned(),
            ("undo", None) => "Put back what was staged before\n".to_owned(),
            _ => "Unstage: the index gets what HEAD has\n".to_owned(),
        };
        let mut line = |name: &str, value: &str| text += &format!("{name}: {value}\n");
        if let Some(leaves) = &self.leaves {
            line("From", leaves);
        }
        for parent in &self.parents {
            line(if self.action == "undo" { "To" } else { "Parent" }, parent);
        }
        if self.action == "commit" && self.parents.is_empty() {
            line("Parent", "none, it is the first");
        }
        for (name, value) in [("Author", &self.author), ("Committer", &self.committer)] {
            value.iter().for_each(|value| line(name, value));
        }
        for program in &self.not_run {
            line("Not run", program);
        }
        for part in self.message.iter().flat_map(|message| message.split_terminator('\n')) {
            if !part.is_empty() {
                text += "    ";
            }
            text += part;
            text += "\n";
        }
        text
    }
}
