//! The parts that payloads have in common.

use serde::{Deserialize, Serialize};

use redline_base::budget::{Grow, GrowBy};
use redline_base::form::hex;

/// The number of lines of content in `preview`.
pub const PREVIEW_LINES: usize = 50;

/// The bytes of content above which a payload holds only its first chunk.
pub const WHOLE_BYTES: usize = 1 << 20;

/// The bytes of a chunk; a chunk is shorter if it would split a character.
pub const CHUNK_BYTES: usize = 64 << 10;

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
    pub(crate) const SHOWN_BYTES: usize = 40;

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
    pub(crate) fn shown_bytes(&self) -> usize {
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
pub(super) const fn is_false(value: &bool) -> bool {
    !*value
}
