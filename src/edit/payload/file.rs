//! The payloads of an operation on one file.

use redline_base::strict_json;
use serde::{Deserialize, Serialize};

use super::parts::{Base, Chunk, Head, NotUtf8};

/// `type: "write"`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritePayload {
    /// What it is about.
    #[serde(flatten)]
    pub head: Head,
    /// The whole content to write.
    #[serde(deserialize_with = "strict_json::text")]
    pub content: String,
    /// The number of its lines; a last line without newline counts.
    pub content_lines: u64,
    /// The number of its bytes.
    pub content_bytes: u64,
    /// Its first [`PREVIEW_LINES`](super::parts::PREVIEW_LINES) lines.
    #[serde(deserialize_with = "strict_json::text")]
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
    /// the two is binary, if this and `content` together exceed
    /// [`WHOLE_BYTES`](super::parts::WHOLE_BYTES), and if the agent is granted no tool that reads.
    #[serde(default, deserialize_with = "strict_json::optional_text")]
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
    #[serde(deserialize_with = "strict_json::text")]
    pub old_string: String,
    /// Its replacement.
    #[serde(deserialize_with = "strict_json::text")]
    pub new_string: String,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
    /// The diff of the whole file, three lines of context, labels `a/…` and `b/…` with the path
    /// beneath the root; bytes that are not UTF-8 as U+FFFD.
    #[serde(deserialize_with = "strict_json::text")]
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
    #[serde(deserialize_with = "strict_json::text")]
    pub context_before: String,
    /// Up to three lines after the line in which the first match ends.
    #[serde(deserialize_with = "strict_json::text")]
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
