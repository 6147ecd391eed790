//! The description of an operation that a person sees before a file is read or written, as typed
//! JSON.
//!
//! Names and order of the fields are those of the specification of structured approval payloads;
//! our own follow, such as `base_oid` and `approval_id`, which a payload of another maker may lack.

mod file;
mod files;
mod parts;
pub(crate) mod proposal;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approvals::operation::FileTool;
use crate::approvals::secret::Digest;
use crate::plan::change::is_executable;
use redline_base::error::{Error, Result, quoted};
use redline_base::strict_json;

pub use file::{EditLargePayload, EditPayload, ReadPayload, WriteLargePayload, WritePayload};
pub use files::{
    CommitFacts, CommitLargePayload, CommitPayload, PatchLargePayload, PatchPayload, PatchedFile,
};
pub use parts::{Base, CHUNK_BYTES, Chunk, Head, NotUtf8, PREVIEW_LINES, ShownText, WHOLE_BYTES};

/// A payload; its field `type` names the variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
        let kind = field("type").unwrap_or_default();
        if let Some(payload) = Payload::of_kind(kind, &value) {
            // The head first: of several fields that are missing, the first is named.
            return Head::deserialize(&value)
                .and(payload)
                .map(|payload| Self::Known(Box::new(payload)))
                .map_err(|error| refused(format!("of type {}: {error}", quoted(kind))));
        }
        field("description")
            .map(|description| Self::Other { description: description.to_owned() })
            .ok_or_else(|| refused("has neither a known type nor a description".to_owned()))
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
    /// Reads a payload of a kind, by the name of its field `type`; serde would copy all of it to find
    /// that. `None` of an unknown one.
    fn of_kind(kind: &str, value: &Value) -> Option<serde_json::Result<Self>> {
        Some(match kind {
            "write" => WritePayload::deserialize(value).map(Self::Write),
            "edit" => EditPayload::deserialize(value).map(Self::Edit),
            "read" => ReadPayload::deserialize(value).map(Self::Read),
            "write_large" => WriteLargePayload::deserialize(value).map(Self::WriteLarge),
            "edit_large" => EditLargePayload::deserialize(value).map(Self::EditLarge),
            "patch" => PatchPayload::deserialize(value).map(Self::Patch),
            "patch_large" => PatchLargePayload::deserialize(value).map(Self::PatchLarge),
            "commit" => CommitPayload::deserialize(value).map(Self::Commit),
            "commit_large" => CommitLargePayload::deserialize(value).map(Self::CommitLarge),
            _ => return None,
        })
    }

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
