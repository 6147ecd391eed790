//! `undo`: undoes operations on files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Reply;
use super::bounded::{Bounded, Bounds};
use super::changed_files::ChangedFiles;
use super::tool::{Alias, Annotations, Output, Tool, WRITES};
use crate::error::Result;

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
    type Arguments = UndoArguments;
    type Output = Undone;
}

/// The arguments of `undo`.
#[derive(Debug, Default, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoArguments {
    /// Default: the last one of this session.
    pub id: Option<String>,
}

/// A file that is, or would be, changed.
#[derive(Debug, Clone, Serialize)]
pub struct UndoneFile {
    /// The path, as `sandbox/relative/path`.
    pub path: String,
    /// `create`, `update`, `delete` or `mode`.
    pub kind: &'static str,
    /// The number of added lines.
    pub lines_added: u64,
    /// The number of removed lines.
    pub lines_removed: u64,
    /// The git blob id before; absent where there was no file.
    pub base_oid: Option<String>,
    /// The git blob id afterwards; absent where there is none.
    pub oid: Option<String>,
    /// The change, with three lines of context.
    #[serde(skip)]
    pub unified_diff: String,
}

/// The answer of `undo`.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The operation and its files.
    pub done: ChangedFiles<UndoneFile>,
    /// The changes of all files; may be cut.
    pub unified_diff: String,
    /// Whether the diff is cut. The files are not.
    pub truncated: bool,
}

/// The data of `undo` besides its text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoneFacts {
    /// The operation that undid it.
    pub id: Option<String>,
    /// Its status.
    pub outcome: String,
    /// Whether the diff is cut; the files are not.
    pub truncated: bool,
}

/// The undone files, as values.
#[derive(Debug, Serialize)]
pub struct UndoneContent {
    /// The report.
    pub message: String,
    /// The files.
    pub files: Vec<UndoneFile>,
    /// The change.
    pub unified_diff: String,
}

impl Undone {
    /// Returns the answer; its diff is cut if it exceeds the room of the reply.
    pub fn within(self, reply: &Reply) -> Result<Self> {
        let mut diff = Bounded::new(Bounds::room(reply.body(), reply.room(&self)));
        'files: for file in &self.done.files {
            for line in file.unified_diff.split_inclusive('\n') {
                if !diff.push(line.as_bytes())? {
                    break 'files;
                }
            }
        }
        let (unified_diff, truncated) = diff.finish();
        Ok(Self { unified_diff, truncated, ..self })
    }
}

impl Output for Undone {
    type Facts = UndoneFacts;
    type Content = UndoneContent;

    fn text(&self) -> String {
        let mut text = self.done.summary();
        for file in &self.done.files {
            text += &format!("\n{} {}", file.kind, file.path);
        }
        format!("{text}\n{}", self.unified_diff)
    }

    fn line(&self) -> String {
        self.done.message.clone()
    }

    fn facts(&self) -> UndoneFacts {
        let Self { done: ChangedFiles { id, outcome, .. }, truncated, .. } = self;
        UndoneFacts { id: id.clone(), outcome: (*outcome).to_owned(), truncated: *truncated }
    }

    fn content(&self) -> UndoneContent {
        let Self { done: ChangedFiles { message, files, .. }, unified_diff, .. } = self.clone();
        UndoneContent { message, files, unified_diff }
    }
}
