//! A tool: its name, its descriptions, its arguments and its answer.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::readings::Reading;

/// A tool. The caller of the tool does the work.
pub trait Tool: 'static {
    /// The name by which it is called and granted.
    const NAME: &'static str;
    /// The name for people.
    const TITLE: &'static str;
    /// Its effect, when to use it, and an example, for an agent.
    const DESCRIPTION: &'static str;
    /// The properties that a client may rely on.
    const ANNOTATIONS: Annotations = READS;
    /// The names that agents try for its arguments.
    const ALIASES: &'static [Alias] = &[];
    /// Its optional arguments that are taken and not listed: programs know them, and each client
    /// sends its model the whole list.
    const UNLISTED: &'static [&'static str] = &[];
    /// The optional arguments of which an empty text is a value.
    const TEXTS: &'static [Texts] = &[];
    /// The SQL functions that its grant opens besides those that name it: a function names the
    /// tools of the same answer, and a tool the functions of which its answers have a part.
    const OPENS: &'static [&'static str] = &[];
    /// Its arguments, besides those that all tools have.
    type Arguments: DeserializeOwned + JsonSchema;
    /// Its answer.
    type Output: Output;
}

/// The answer to a call of a tool. It serializes to its values, which `"format": "json"` requests:
/// first the data that a program needs besides the text (totals, ids, the cursor), which its schema
/// lists, then the content of the text, which its schema leaves out.
pub trait Output: Serialize + JsonSchema {
    /// Returns the text for a model.
    fn text(&self) -> String;
    /// Returns the answer in one line, besides its values.
    fn line(&self) -> String;
    /// Returns the cursor of the next page; answers without pages have none.
    fn next_cursor(&self) -> Option<&str> {
        None
    }
}

/// Arguments that are texts, of which an empty one is a value.
#[derive(Debug, Clone, Copy)]
pub struct Texts {
    /// Their names.
    pub names: &'static [&'static str],
    /// What is given instead of them: beside one of these they are left out if all are empty.
    pub unless: &'static [&'static str],
}

/// A name that agents try for an argument.
#[derive(Debug, Clone, Copy)]
pub enum Alias {
    /// Replaced by the second name.
    Means(&'static str, &'static str),
    /// Refused with this advice.
    Say(&'static str, &'static str),
    /// Read as other arguments; refused with this advice if it means none.
    Read(&'static str, Reading, &'static str),
    /// Taken and without effect: what it asks for is done anyway, or is for people.
    Beside(&'static str),
}

impl Alias {
    /// Returns the name that is given.
    pub const fn given(&self) -> &'static str {
        match *self {
            Self::Means(given, _)
            | Self::Say(given, _)
            | Self::Read(given, ..)
            | Self::Beside(given) => given,
        }
    }
}

/// The properties of a tool that a client may rely on: MCP's `ToolAnnotations`, if they differ from
/// its defaults.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// A second call with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches beyond the host's files and repositories.
    pub open_world_hint: bool,
}

/// Annotations of a tool that only reads.
pub const READS: Annotations =
    Annotations { read_only_hint: true, idempotent_hint: None, open_world_hint: false };

/// Annotations of a tool that changes a file, whose old content may be lost.
pub const WRITES: Annotations = Annotations { read_only_hint: false, ..READS };
