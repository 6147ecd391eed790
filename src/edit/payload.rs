//! The description of an operation that a person sees before a file is read or written, as typed
//! JSON.
//!
//! Names and order of the fields are those of the specification of structured approval payloads;
//! our own follow, such as `base_oid` and `approval_id`, which a payload of another maker may lack.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::is_executable;
use super::operation::FileTool;
use super::secret::Digest;
use redline_base::budget::{Grow, GrowBy};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::hex;
use redline_base::strict_json;

/// The number of lines of content in `preview`.
pub const PREVIEW_LINES: usize = 50;

/// The bytes of content above which a payload holds only its first chunk.
pub const WHOLE_BYTES: usize = 1 << 20;

/// The bytes of a chunk; a chunk is shorter if it would split a character.
pub const CHUNK_BYTES: usize = 64 << 10;

/// A payload; its field `type` names the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Payload {
    /// Writes a whole file.
    Write(WritePayload),
    /// Replaces passages of a file.
    Edit(EditPayload),
    /// Reads a file.
    Read(ReadPayload),
    /// As `write`, with content over [`WHOLE_BYTES`].
    WriteLarge(WriteLargePayload),
    /// As `edit`, with texts over [`WHOLE_BYTES`].
    EditLarge(EditLargePayload),
    /// Changes several files, all or none.
    Patch(PatchPayload),
    /// As `patch`, with a diff over [`WHOLE_BYTES`].
    PatchLarge(PatchLargePayload),
    /// Makes a commit, or changes what is staged for one.
    Commit(CommitPayload),
    /// As `commit`, with a text over [`WHOLE_BYTES`].
    CommitLarge(CommitLargePayload),
}

/// What every payload starts with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// A one-line description that suffices for a decision.
    pub description: String,
    /// The path as an agent gives it, `sandbox_name/relative/path`; of a patch, the name of the
    /// sandbox.
    pub path: String,
    /// The name of the sandbox.
    pub sandbox: String,
}

/// The start of a text that is fetched in chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Always true.
    pub content_truncated: bool,
    /// The first chunk.
    pub content_preview: String,
    /// The reference that `approval_chunk` takes to fetch the others.
    pub fetch_url: String,
    /// The most bytes of a chunk.
    pub chunk_size: u64,
    /// The number of chunks.
    pub total_chunks: u64,
}

/// Bytes that are not UTF-8, for which a text has U+FFFD.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotUtf8 {
    /// The place of that character in the text, in bytes.
    pub at: u64,
    /// The bytes as hexadecimal digits.
    pub hex: String,
}

impl NotUtf8 {
    /// The bytes that one takes in a payload, at most.
    pub(super) const SHOWN_BYTES: usize = 40;

    /// Returns those of a text that is shown by [`lossy`](redline_base::budget::lossy).
    pub fn of(bytes: &[u8]) -> Vec<Self> {
        let (mut found, mut at) = (Vec::new(), 0);
        for chunk in bytes.utf8_chunks() {
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                found.add(Self { at: at as u64, hex: hex(chunk.invalid()).to_uppercase() });
                at += char::REPLACEMENT_CHARACTER.len_utf8();
            }
        }
        found
    }
}

/// A text that may have had bytes that are not UTF-8.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownText {
    /// The text, with U+FFFD for these bytes.
    pub text: String,
    /// Those bytes, in order.
    pub not_utf8: Vec<NotUtf8>,
}

impl ShownText {
    /// Appends the part of another text from `start`, in bytes.
    pub fn append(&mut self, text: &str, not_utf8: &[NotUtf8], start: usize) {
        let (start, end) = (start as u64, self.text.len() as u64);
        let later = not_utf8.iter().filter(|one| one.at >= start);
        self.not_utf8
            .add_all(later.map(|one| NotUtf8 { at: one.at - start + end, hex: one.hex.clone() }));
        self.text.add_slice(&text[start as usize..]);
    }

    /// Returns the bytes that it takes in a payload.
    pub(super) fn shown_bytes(&self) -> usize {
        self.text.len() + self.not_utf8.len() * NotUtf8::SHOWN_BYTES
    }
}

/// The file as it is; empty where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Its git blob id.
    pub base_oid: Option<String>,
    /// Its kind and its permissions in octal digits, as `100755`.
    pub mode: Option<String>,
    /// Whether tools run the file, by its name.
    #[serde(default, skip_serializing_if = "is_false")]
    pub run_by_tools: bool,
}

/// Tells whether a field is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

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
    pub files: Vec<PatchedFile>,
    /// The changes of all of them, as a git diff.
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
    pub files: Vec<PatchedFile>,
    /// All of it as one text: branch, parents, people and message, then the changes as a git diff.
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

/// `type: "write"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The whole content to write.
    pub content: String,
    /// The number of its lines; a last line without newline counts.
    pub content_lines: u64,
    /// The number of its bytes.
    pub content_bytes: u64,
    /// Its first [`PREVIEW_LINES`] lines.
    pub preview: String,
    /// Whether `content` has more.
    pub preview_truncated: bool,
    /// Whether a file is overwritten.
    pub file_exists: bool,
    /// The lines of that file.
    pub existing_lines: Option<u64>,
    /// The bytes of that file.
    pub existing_bytes: Option<u64>,
    /// The change of that file, as `unified_diff` of an edit; absent without a change, if one of
    /// the two is binary, if this and `content` together exceed [`WHOLE_BYTES`], and if the agent
    /// is granted no tool that reads.
    pub unified_diff: Option<String>,
    /// The bytes of `unified_diff` that are not UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_utf8: Vec<NotUtf8>,
    /// The lines of `unified_diff`.
    pub diff_lines: Option<u64>,
    /// Its current state.
    #[serde(flatten)]
    pub base: Base,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "edit"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditPayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The text that is replaced; of several edits, the file from the first match to the last.
    pub old_string: String,
    /// Its replacement.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
    /// The diff of the whole file, three lines of context, labels `a/…` and `b/…` with the path
    /// beneath the root; bytes that are not UTF-8 as U+FFFD.
    pub unified_diff: String,
    /// Those bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_utf8: Vec<NotUtf8>,
    /// The lines of `unified_diff`.
    pub diff_lines: u64,
    /// The line, from 1, in which the first match starts.
    pub match_line: u64,
    /// The number of matches that are replaced.
    pub match_count: u64,
    /// Up to three lines before the line in which the first match starts.
    pub context_before: String,
    /// Up to three lines after the line in which the first match ends.
    pub context_after: String,
    /// The current number of lines in the file.
    pub file_lines: u64,
    /// The current number of bytes in the file.
    pub file_bytes: u64,
    /// Its current state.
    #[serde(flatten)]
    pub base: Base,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "read"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadPayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The lines of the file, 0 if there is none.
    pub file_lines: u64,
    /// The bytes of the file, 0 if there is none.
    pub file_bytes: u64,
    /// Whether the file exists.
    pub file_exists: bool,
    /// Its current state.
    #[serde(flatten)]
    pub base: Base,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "write_large"`: the chunks, joined, are the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteLargePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The first chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// The number of lines in the content; a last line without newline counts.
    pub content_lines: u64,
    /// The number of bytes in the content.
    pub content_bytes: u64,
    /// Whether a file is overwritten.
    pub file_exists: bool,
    /// The lines of that file.
    pub existing_lines: Option<u64>,
    /// The bytes of that file.
    pub existing_bytes: Option<u64>,
    /// Its current state.
    #[serde(flatten)]
    pub base: Base,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// `type: "edit_large"`: the chunks, joined, are the unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditLargePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The first chunk.
    #[serde(flatten)]
    pub chunk: Chunk,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
    /// The lines of the unified diff.
    pub diff_lines: u64,
    /// The line, from 1, in which the first match starts.
    pub match_line: u64,
    /// The number of matches that are replaced.
    pub match_count: u64,
    /// The current number of lines in the file.
    pub file_lines: u64,
    /// The current number of bytes in the file.
    pub file_bytes: u64,
    /// Its current state.
    #[serde(flatten)]
    pub base: Base,
    /// The id for `approve`.
    #[serde(default)]
    pub approval_id: String,
}

/// A payload that a host passes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// A payload of ours.
    Known(Box<Payload>),
    /// A payload of another `type`; only its description is understood.
    Other {
        /// A one-line description that suffices for a decision.
        description: String,
    },
}

impl Received {
    /// Reads a payload.
    ///
    /// # Errors
    /// `invalid_args` when the text is not a JSON object, when a payload of a known type lacks a
    /// field, or when one of another type has no description.
    pub fn parse(json: &str) -> Result<Self> {
        let refused = |why: String| {
            Error::invalid_args(format!("the payload {why}")).with_hint(
                "Give a payload of needs_approval, write_approval, edit_approval or read_approval",
            )
        };
        let value =
            strict_json::parse(json).map_err(|error| refused(format!("is not JSON: {error}")))?;
        let field = |name: &str| value.get(name).and_then(Value::as_str);
        match field("type") {
            Some(
                kind @ ("write" | "edit" | "read" | "write_large" | "edit_large" | "patch"
                | "patch_large" | "commit" | "commit_large"),
            ) => {
                let kind = quoted(kind);
                // The head first: of several fields that are missing, the first is named.
                let payload = Head::deserialize(&value).and_then(|_| Payload::deserialize(&value));
                payload
                    .map(Box::new)
                    .map(Self::Known)
                    .map_err(|error| refused(format!("of type {kind}: {error}")))
            }
            _ => field("description")
                .map(|description| Self::Other { description: description.to_owned() })
                .ok_or_else(|| refused("has neither a known type nor a description".to_owned())),
        }
    }
}

/// Returns the description of an operation on a file that must not be read unseen; nothing in it
/// depends on the file.
pub fn hidden(tool: FileTool, path: &str, sandbox: &str, id: Digest) -> String {
    serde_json::json!({
        "type": "hidden",
        "description": outline(tool, path),
        "path": path,
        "sandbox": sandbox,
        "tool": tool.name(),
        "approval_id": id.to_string(),
    })
    .to_string()
}

/// Returns the description of an operation, whatever the file holds: `Write workspace/a`.
pub fn outline(tool: FileTool, path: &str) -> String {
    format!("{} {path}", tool.verb())
}

impl Payload {
    /// Returns the JSON text, its fields in the order of the specification.
    pub fn to_json(&self) -> String {
        strict_json::write(self).expect("a struct of texts and numbers is always JSON")
    }

    /// Returns the one-line description.
    pub fn description(&self) -> &str {
        &self.parts().0.description
    }

    /// Returns the path as an agent gives it.
    pub fn path(&self) -> &str {
        &self.parts().0.path
    }

    /// Returns the id for `approve`.
    pub fn approval_id(&self) -> &str {
        self.parts().2
    }

    /// Tells whether the file is executable.
    pub fn is_executable(&self) -> bool {
        if let Self::Patch(PatchPayload { files, .. })
        | Self::PatchLarge(PatchLargePayload { files, .. }) = self
        {
            return files.iter().any(|file| file.executable);
        }
        let mode = self.parts().1.and_then(|base| base.mode.as_deref());
        let mode = mode.and_then(|mode| u32::from_str_radix(mode, 8).ok());
        mode.is_some_and(is_executable)
    }

    /// Tells whether tools run the file, or one of several, by its name.
    pub fn is_run_by_tools(&self) -> bool {
        match self {
            Self::Patch(PatchPayload { files, .. })
            | Self::PatchLarge(PatchLargePayload { files, .. }) => {
                files.iter().any(|file| file.run_by_tools)
            }
            _ => self.parts().1.is_some_and(|base| base.run_by_tools),
        }
    }

    /// Returns the git blob id of the current content; `None` if there is no file, or several.
    pub fn base_oid(&self) -> Option<&str> {
        let oid = self.parts().1?.base_oid.as_deref();
        // What is edited exists, whether its payload names it or not.
        let is_edit = matches!(self, Self::Edit(_) | Self::EditLarge(_));
        oid.or(is_edit.then_some(""))
    }

    /// Notes that tools run the file, by its name; of a patch each file has a note of its own.
    pub fn note_run_by_tools(&mut self) {
        match self {
            Self::Write(WritePayload { base, .. })
            | Self::Edit(EditPayload { base, .. })
            | Self::WriteLarge(WriteLargePayload { base, .. })
            | Self::EditLarge(EditLargePayload { base, .. }) => base.run_by_tools = true,
            Self::Read(_)
            | Self::Patch(_)
            | Self::PatchLarge(_)
            | Self::Commit(_)
            | Self::CommitLarge(_) => {}
        }
    }

    /// Returns what all payloads have: the head, the file where it is one, and the id.
    fn parts(&self) -> (&Head, Option<&Base>, &str) {
        let (head, base, id) = match self {
            Self::Write(WritePayload { head, base, approval_id, .. })
            | Self::Edit(EditPayload { head, base, approval_id, .. })
            | Self::Read(ReadPayload { head, base, approval_id, .. })
            | Self::WriteLarge(WriteLargePayload { head, base, approval_id, .. })
            | Self::EditLarge(EditLargePayload { head, base, approval_id, .. }) => {
                (head, Some(base), approval_id)
            }
            Self::Patch(PatchPayload { head, approval_id, .. })
            | Self::PatchLarge(PatchLargePayload { head, approval_id, .. })
            | Self::Commit(CommitPayload { head, approval_id, .. })
            | Self::CommitLarge(CommitLargePayload { head, approval_id, .. }) => {
                (head, None, approval_id)
            }
        };
        (head, base, id)
    }

    /// Tells whether the payload holds only its first chunk.
    pub const fn is_large(&self) -> bool {
        matches!(
            self,
            Self::WriteLarge(_) | Self::EditLarge(_) | Self::PatchLarge(_) | Self::CommitLarge(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_keeps_the_order_of_its_fields_and_reads_back_equal() {
        let payload = Payload::Read(ReadPayload {
            head: Head {
                description: "Read workspace/a".to_owned(),
                path: "workspace/a".to_owned(),
                sandbox: "workspace".to_owned(),
            },
            file_lines: 2,
            file_bytes: 9,
            file_exists: true,
            base: Base::default(),
            approval_id: "id".to_owned(),
        });
        let json = r#"{"type":"read","description":"Read workspace/a","path":"workspace/a","sandbox":"workspace","file_lines":2,"file_bytes":9,"file_exists":true,"base_oid":null,"mode":null,"approval_id":"id"}"#;
        assert_eq!(payload.to_json(), json);
        assert_eq!(Received::parse(json).unwrap(), Received::Known(Box::new(payload)));
    }

    #[test]
    fn a_payload_without_our_additions_is_read() {
        let json = r#"{"type":"read","description":"Read a/b","path":"a/b","sandbox":"a","file_lines":2,"file_bytes":9,"file_exists":true}"#;
        let Received::Known(payload) = Received::parse(json).unwrap() else {
            panic!("a read payload is known")
        };
        assert_eq!(payload.approval_id(), "");
    }

    #[test]
    fn a_text_that_is_not_a_payload_is_refused() {
        for json in [
            "",
            "1",
            "null",
            "{}",
            "[]",
            r#"{"type":"edit","description":"x"}"#,
            r#"{"type":"new"}"#,
        ] {
            let error = Received::parse(json).expect_err(json).to_string();
            assert!(error.starts_with("invalid_args: the payload "), "{error}");
        }
        let other = Received::parse(r#"{"type":"delete","description":"Delete a"}"#).unwrap();
        assert_eq!(other, Received::Other { description: "Delete a".to_owned() });
    }
}
