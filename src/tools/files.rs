//! `write_file` and `edit_file`: change the files of a sandbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Reply;
use super::bounded::fitting;
use super::readings;
use super::tool::{Alias, Annotations, Output, Texts, Tool, WRITES};
use redline_base::error::{Error, Result};
use redline_edit::{Edit, FileTool, LineEdit};
use redline_rows::{Col, Row, bigint, boolean, varchar};

/// The advice for a change that is told in another form.
const EDITS: &str = "Give old_string = lines of the file as they are, and new_string = what takes their place; to insert, repeat in it a line beside the place";

/// Creates or overwrites a file.
pub struct WriteFile;

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const TITLE: &'static str = "Write a file";
    const DESCRIPTION: &'static str = "Creates or overwrites a file and its parent directories. Example: path = workspace/notes.md, content = hello";
    const ANNOTATIONS: Annotations = Annotations { idempotent_hint: Some(true), ..WRITES };
    const ALIASES: &'static [Alias] = &[
        Alias::Means("text", "content"),
        Alias::Means("file_text", "content"),
        Alias::Means("contents", "content"),
        Alias::Means("data", "content"),
    ];
    const UNLISTED: &'static [&'static str] = &["max_bytes"];
    type Arguments = WriteFileArguments;
    type Output = Written;
}

/// Replaces passages of a file.
pub struct EditFile;

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    const TITLE: &'static str = "Edit a file";
    const DESCRIPTION: &'static str = "Replaces old_string with new_string; or makes all edits of a list, or none. Example: path = workspace/a.py, \
         old_string = x = 1, new_string = x = 2";
    const ANNOTATIONS: Annotations = WRITES;
    const ALIASES: &'static [Alias] = &[
        Alias::Means("oldText", "old_string"),
        Alias::Means("newText", "new_string"),
        Alias::Means("old_text", "old_string"),
        Alias::Means("new_text", "new_string"),
        Alias::Means("old_str", "old_string"),
        Alias::Means("new_str", "new_string"),
        Alias::Means("replaceAll", "replace_all"),
        Alias::Means("search", "old_string"),
        Alias::Means("replace", "new_string"),
        Alias::Read("command", readings::replaces, EDITS),
        Alias::Read(
            "expected_replacements",
            readings::one,
            "Give replace_all = true to replace every occurrence",
        ),
        Alias::Read(
            "dryRun",
            readings::no,
            "Give dryRun = false: an edit is made at once, after a person's approval if needed",
        ),
        Alias::Say("insert_line", EDITS),
        Alias::Say("code_edit", EDITS),
        Alias::Say(
            "diff",
            "Give old_string and new_string, or call apply_patch: patch = the diff or the SEARCH/REPLACE blocks below a line with the path",
        ),
    ];
    const TEXTS: &'static [Texts] =
        &[Texts { names: &["old_string", "new_string"], unless: &["edits"] }];
    const UNLISTED: &'static [&'static str] = &["max_bytes"];
    type Arguments = EditFileArguments;
    type Output = EditResult;
}

/// The arguments of `write_file`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct WriteFileArguments {
    pub path: String,
    /// The whole content.
    pub content: String,
}

/// The arguments of `edit_file`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct EditFileArguments {
    pub path: String,
    /// Must match exactly and occur once (or replace_all).
    pub old_string: Option<String>,
    /// The replacement.
    pub new_string: Option<String>,
    pub replace_all: Option<bool>,
    pub edits: Option<Vec<EditArgument>>,
    pub base_oid: Option<String>,
}

/// One of several replacements.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct EditArgument {
    #[serde(alias = "oldText", alias = "old_text", alias = "old_str")]
    pub old_string: String,
    #[serde(alias = "newText", alias = "new_text", alias = "new_str")]
    pub new_string: String,
    #[serde(alias = "replaceAll")]
    pub replace_all: Option<bool>,
}

impl EditFileArguments {
    /// Returns the replacements: one, or several.
    ///
    /// # Errors
    /// `invalid_args` when neither or both are given.
    pub fn edits(&self) -> Result<Vec<Edit<'_>>> {
        let wrong = |what: &str| {
            Err(Error::invalid_args(format!("edit_file was given {what}"))
                .with_hint("Give either old_string and new_string, or edits"))
        };
        match (&self.old_string, &self.new_string, &self.edits) {
            (Some(old_string), Some(new_string), None) => Ok(vec![Edit {
                old_string,
                new_string,
                replace_all: self.replace_all.unwrap_or(false),
            }]),
            (None, None, Some(_)) if self.replace_all == Some(true) => {
                wrong("both edits and replace_all")
            }
            (None, None, Some(edits)) => Ok(edits.iter().map(EditArgument::as_edit).collect()),
            (_, _, Some(_)) => wrong("edits and old_string or new_string"),
            (Some(_), None, None) => wrong("no new_string"),
            (None, Some(_), None) => wrong("no old_string"),
            (None, None, None) => wrong("nothing to replace"),
        }
    }
}

/// The arguments of `edit_lines`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditLinesArguments {
    /// The path.
    pub path: String,
    /// The first line, from 1, and the last one.
    pub lines: [u64; 2],
    /// Their replacement.
    pub new_text: String,
    /// The git blob id that the file must have.
    pub base_oid: String,
    /// The lines as text, as they identify the call.
    place: String,
}

impl EditLinesArguments {
    /// Returns the arguments of a call.
    pub fn new(path: String, lines: [u64; 2], new_text: String, base_oid: String) -> Self {
        let place = format!("{}-{}", lines[0], lines[1]);
        Self { path, lines, new_text, base_oid, place }
    }

    /// Returns the arguments of a call from its record, see [`Replaced::arguments`].
    #[must_use]
    pub fn of(path: String, place: &str, new_text: String, base_oid: String) -> Option<Self> {
        let (first, last) = place.split_once('-')?;
        Some(Self::new(path, [first.parse().ok()?, last.parse().ok()?], new_text, base_oid))
    }
}

/// A call that changes passages of one file.
#[derive(Debug, Clone, Copy)]
pub enum EditCall<'a> {
    /// `edit_file`
    Strings(&'a EditFileArguments),
    /// `edit_lines`
    Lines(&'a EditLinesArguments),
}

/// The part of a file that a call replaces.
#[derive(Debug)]
pub enum Replaced<'a> {
    /// Strings, wherever they occur.
    Strings(Vec<Edit<'a>>),
    /// Lines by their numbers.
    Lines(&'a EditLinesArguments),
}

/// The number of arguments of one string replacement.
pub const EDIT_ARGUMENTS: usize = 3;
/// The last of them, if every occurrence is replaced.
pub const REPLACE_ALL: &[u8] = b"all";

impl<'a> EditCall<'a> {
    /// Returns the path as it is given.
    #[must_use]
    pub fn path(self) -> &'a str {
        match self {
            Self::Strings(arguments) => &arguments.path,
            Self::Lines(arguments) => &arguments.path,
        }
    }

    /// Returns the git blob id that the file must have.
    #[must_use]
    pub fn base_oid(self) -> Option<&'a str> {
        match self {
            Self::Strings(arguments) => arguments.base_oid.as_deref(),
            Self::Lines(arguments) => Some(&arguments.base_oid),
        }
    }

    /// Returns the tool.
    #[must_use]
    pub const fn tool(self) -> FileTool {
        match self {
            Self::Strings(_) => FileTool::Edit,
            Self::Lines(_) => FileTool::Lines,
        }
    }

    /// Returns the replaced part.
    ///
    /// # Errors
    /// Those of [`EditFileArguments::edits`].
    pub fn replaced(self) -> Result<Replaced<'a>> {
        Ok(match self {
            Self::Strings(arguments) => Replaced::Strings(arguments.edits()?),
            Self::Lines(arguments) => Replaced::Lines(arguments),
        })
    }
}

impl<'a> Replaced<'a> {
    /// Returns the arguments that the result depends on.
    #[must_use]
    pub fn arguments(&self) -> Vec<&'a [u8]> {
        match self {
            Self::Strings(edits) => edits.iter().flat_map(edit_arguments).collect(),
            Self::Lines(edit) => {
                [&edit.place, &edit.new_text, &edit.base_oid].map(String::as_bytes).to_vec()
            }
        }
    }
}

impl<'a> From<&'a EditLinesArguments> for LineEdit<'a> {
    fn from(given: &'a EditLinesArguments) -> Self {
        let [first_line, last_line] = given.lines;
        Self { first_line, last_line, new_text: &given.new_text }
    }
}

fn edit_arguments<'a>(edit: &Edit<'a>) -> [&'a [u8]; EDIT_ARGUMENTS] {
    let replace_all: &[u8] = if edit.replace_all { REPLACE_ALL } else { b"once" };
    [edit.old_string.as_bytes(), edit.new_string.as_bytes(), replace_all]
}

impl EditArgument {
    fn as_edit(&self) -> Edit<'_> {
        let Self { old_string, new_string, replace_all } = self;
        Edit { old_string, new_string, replace_all: replace_all.unwrap_or(false) }
    }
}

/// What `write_file` answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WriteResult {
    /// The path as given.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes_written: u64,
    /// Lines of the file.
    pub lines_written: u64,
    /// Whether the file is new.
    pub created: bool,
    /// The report, in one sentence.
    pub message: String,
}

/// The answer of `write_file` for an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Written {
    bytes_written: u64,
    lines_written: u64,
    created: bool,
    oid: String,
    #[schemars(skip)]
    path: String,
    #[schemars(skip)]
    message: String,
}

impl Written {
    /// Returns the answer to a call; `oid` is the git blob id of the file now.
    pub fn new(result: WriteResult, oid: String) -> Self {
        let WriteResult { path, bytes_written, lines_written, created, message } = result;
        Self { bytes_written, lines_written, created, oid, path, message }
    }
}

impl Output for Written {
    fn text(&self) -> String {
        format!("{}\nbase_oid for the next edit: {}", self.message, self.oid)
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}

/// What `edit_file` answers.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct EditResult {
    /// Number of replacements made.
    pub replacements_made: u64,
    /// The larger of the numbers of added and removed lines.
    pub lines_changed: u64,
    /// The git blob id of the file before; empty if the caller may not read it.
    pub base_oid: String,
    /// The git blob id of the file now; pass it as base_oid of the next edit. Empty as above.
    pub oid: String,
    /// Whether the diff is cut. The file is not.
    pub truncated: bool,
    /// The path as given.
    #[schemars(skip)]
    pub path: String,
    /// The report, in one sentence.
    #[schemars(skip)]
    pub message: String,
    /// The change, with three lines of context.
    #[schemars(skip)]
    pub unified_diff: String,
}

impl EditResult {
    /// Cuts the diff if it exceeds the room of the reply.
    pub fn within(mut self, reply: &Reply) -> Result<Self> {
        let whole = std::mem::take(&mut self.unified_diff);
        (self.unified_diff, self.truncated) = fitting(reply, &self, whole.split_inclusive('\n'))?;
        Ok(self)
    }
}

impl Output for EditResult {
    fn text(&self) -> String {
        let Self { message, oid, unified_diff, .. } = self;
        if oid.is_empty() {
            return message.clone();
        }
        format!("{message}\nbase_oid for the next edit: {oid}\n{unified_diff}")
    }

    fn line(&self) -> String {
        self.message.clone()
    }
}

impl Row for EditResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The path as given.", |result, out| out.text(result.path.as_str())),
        bigint("replacements_made", "Number of replacements made.", |result| {
            result.replacements_made.into()
        }),
        bigint(
            "lines_changed",
            "The larger of the numbers of added and removed lines.",
            |result| result.lines_changed.into(),
        ),
        varchar("message", "The report, in one sentence.", |result, out| {
            out.text(result.message.as_str())
        }),
        varchar("unified_diff", "The change, with three lines of context.", |result, out| {
            out.text(result.unified_diff.as_str())
        }),
        varchar("base_oid", "The git blob id of the file before.", |result, out| {
            out.text(result.base_oid.as_str())
        }),
        varchar(
            "oid",
            "The git blob id of the file now; pass it as base_oid of the next edit.",
            |result, out| out.text(result.oid.as_str()),
        ),
    ];
}

impl Row for WriteResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The path as given.", |result, out| out.text(result.path.as_str())),
        bigint("bytes_written", "Size of the file in bytes.", |result| result.bytes_written.into()),
        bigint("lines_written", "Lines of the file.", |result| result.lines_written.into()),
        boolean("created", "Whether the file is new.", |result| Some(result.created)),
        varchar("message", "The report, in one sentence.", |result, out| {
            out.text(result.message.as_str())
        }),
    ];
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn an_edit_without_or_with_two_kinds_of_replacement_is_refused() {
        for arguments in [
            r#"{"path": "a"}"#,
            r#"{"path": "a", "old_string": "x"}"#,
            r#"{"path": "a", "new_string": "x"}"#,
            r#"{"path": "a", "old_string": "x", "new_string": "y", "edits": [{"old_string": "x", "new_string": "y"}]}"#,
            r#"{"path": "a", "old_string": "x", "edits": []}"#,
            r#"{"path": "a", "replace_all": true, "edits": [{"old_string": "x", "new_string": "y"}]}"#,
            r#"{"path": "a", "edits": []}"#,
        ] {
            let parsed = parse::<EditFile>(arguments).unwrap().arguments;
            let error = parsed.edits().unwrap_err().to_string();
            assert!(
                error.starts_with("invalid_args: edit_file was given "),
                "{arguments}: {error}"
            );
        }
        let several = r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "", "replace_all": null}]}"#;
        let parsed = parse::<EditFile>(several).unwrap().arguments;
        assert_eq!(
            parsed.edits().unwrap(),
            [Edit { old_string: "x", new_string: "", replace_all: false }]
        );
    }

    #[test]
    fn an_error_names_the_edit_that_is_wrong() {
        let arguments = r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": 1}]}"#;
        let error = parse::<EditFile>(arguments).unwrap_err().to_string();
        assert!(
            error.starts_with("invalid_args: the argument 'edits[1].old_string' of edit_file"),
            "{error}"
        );
    }
}
