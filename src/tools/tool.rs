//! What a tool is: a name, what it says of itself, what it takes and what it answers.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A tool. What it does is told where it is called.
pub trait Tool: 'static {
    /// The name by which it is called and granted.
    const NAME: &'static str;
    /// The name that people see.
    const TITLE: &'static str;
    /// What it does, when to use it, and an example, for an agent.
    const DESCRIPTION: &'static str;
    /// What a client may assume.
    const ANNOTATIONS: Annotations = READS;
    /// Names that agents try for its arguments.
    const ALIASES: &'static [Alias] = &[];
    /// What it takes, beside what all tools take.
    type Arguments: DeserializeOwned + JsonSchema;
    /// What it answers.
    type Output: Output;
}

/// What a call of a tool answers.
pub trait Output {
    /// What a program needs beside the text: totals, ids, the cursor.
    type Facts: Serialize + JsonSchema;
    /// What the text says, as values; `"format": "json"` asks for it.
    type Content: Serialize;

    /// Returns what a model reads.
    fn text(&self) -> String;
    /// Returns the answer in one line, beside its values.
    fn line(&self) -> String;
    /// Returns what stands beside the text.
    fn facts(&self) -> Self::Facts;
    /// Returns the values.
    fn content(&self) -> Self::Content;
}

/// A name that agents try for an argument.
#[derive(Debug, Clone, Copy)]
pub enum Alias {
    /// It is taken for the second name.
    Means(&'static str, &'static str),
    /// It is refused with what to give instead.
    Say(&'static str, &'static str),
}

/// What a client may assume of a tool: MCP's `ToolAnnotations`, as far as they differ from its
/// defaults.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// Called twice with the same arguments, the second call changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches beyond the host's files and repositories.
    pub open_world_hint: bool,
}

/// Annotations of a tool that only reads.
pub const READS: Annotations =
    Annotations { read_only_hint: true, idempotent_hint: None, open_world_hint: false };

/// Annotations of a tool that changes a file; what it changes may be lost.
pub const WRITES: Annotations = Annotations { read_only_hint: false, ..READS };
