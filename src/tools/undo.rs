//! `undo`: undoes operations on files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Reply;
use super::bounded::fitting;
use super::commit::CommittedFile;
use super::patch::ChangedFiles;
use super::tool::{Alias, Annotations, Output, Tool, WRITES};
use redline_base::error::Result;
use redline_rows::{Col, Row, bigint, varchar};

/// Undoes an operation on files.
pub struct Undo;

impl Tool for Undo {
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Undo";
    const DESCRIPTION: &'static str =
        "Takes back a change; what others wrote since stays. Example: no arguments";
    const ANNOTATIONS: Annotations = WRITES;
    const ALIASES: &'static [Alias] = &[
        Alias::Means("operation", "id"),
        Alias::Means("operation_id", "id"),
        Alias::Means("edit_id", "id"),
        Alias::Say(
            "path",
            "undo takes back an operation as a whole; leave out id for the last one",
        ),
    ];
    const UNLISTED: &'static [&'static str] = &["max_bytes"];
    type Arguments = UndoArguments;
    type Output = Undone;
}

/// The arguments of `undo`.
#[derive(Debug, Default, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoArguments {
    /// Default: your last one.
    pub id: Option<String>,
    /// All of yours in it.
    pub sandbox: Option<String>,
}

/// A file that is, or would be, changed.
#[derive(Debug, Clone, Serialize)]
pub struct UndoneFile {
    /// The file.
    #[serde(flatten)]
    pub file: CommittedFile,
    /// The change, with three lines of context.
    #[serde(skip)]
    pub unified_diff: String,
}

/// The answer of `undo`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    id: Option<String>,
    outcome: &'static str,
    /// Whether the diff is cut. The files are not.
    truncated: bool,
    #[schemars(skip)]
    message: String,
    #[schemars(skip)]
    files: Vec<UndoneFile>,
    /// The changes of all files.
    #[schemars(skip)]
    unified_diff: String,
    #[serde(skip)]
    summary: String,
}

impl Undone {
    /// Returns the answer; its diff is cut if it exceeds the room of the reply.
    pub fn new(done: ChangedFiles<UndoneFile>, reply: &Reply) -> Result<Self> {
        let summary = done.summary();
        let ChangedFiles { id, outcome, message, files } = done;
        let (truncated, unified_diff) = (false, String::new());
        let mut answer = Self { id, outcome, truncated, message, files, unified_diff, summary };
        let diffs = answer.files.iter().map(|file| &file.unified_diff);
        let lines = diffs.flat_map(|diff| diff.split_inclusive('\n'));
        (answer.unified_diff, answer.truncated) = fitting(reply, &answer, lines)?;
        Ok(answer)
    }
}

impl Output for Undone {
    fn text(&self) -> String {
        let mut text = self.summary.clone();
        for UndoneFile { file, .. } in &self.files {
            text += &format!("\n{} {}", file.kind, file.path);
        }
        format!("{text}\n{}", self.unified_diff)
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}

impl Row for UndoneFile {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The file, as `sandbox/relative/path`", |it, out| {
            out.text(it.file.path.as_str())
        }),
        varchar("kind", "`create`, `update`, `delete` or `mode`", |it, out| out.text(it.file.kind)),
        bigint("lines_added", "Lines that it gets", |it| it.file.lines_added.into()),
        bigint("lines_removed", "Lines that it loses", |it| it.file.lines_removed.into()),
        varchar("base_oid", "The git blob id before", |it, out| {
            out.text(it.file.base_oid.as_deref())
        }),
        varchar("oid", "The git blob id afterwards", |it, out| out.text(it.file.oid.as_deref())),
        varchar("unified_diff", "The change, with three lines of context", |it, out| {
            out.text(it.unified_diff.as_str())
        }),
    ];
}
