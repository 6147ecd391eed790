//! `read_file`, `write_file`, `edit_file`: the files of a sandbox.

use schemars::JsonSchema;
use serde::Deserialize;

use super::record::record;
use crate::edit::Edit;
use crate::error::{Error, Result};

/// The arguments of `read_file`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArguments {
    /// The file, as sandbox/relative/path.
    pub path: String,
    /// Characters to skip at the start. Default: 0.
    pub offset: Option<u64>,
    /// Maximum characters to return. Default: 48000.
    pub max_chars: Option<u64>,
}

impl ReadFileArguments {
    /// The characters that an agent is given when it does not say how many it wants.
    pub const MAX_CHARS: u64 = 48_000;
}

/// The arguments of `write_file`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFileArguments {
    /// The file, as sandbox/relative/path; missing parent directories are created.
    pub path: String,
    /// The whole new content.
    pub content: String,
}

/// The arguments of `edit_file`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFileArguments {
    /// The file, as sandbox/relative/path.
    pub path: String,
    /// The text to replace; it must occur exactly once unless replace_all is true.
    pub old_string: Option<String>,
    /// The replacement; empty to delete the text.
    pub new_string: Option<String>,
    /// Replace every occurrence. Default: false.
    pub replace_all: Option<bool>,
    /// Several replacements, instead of old_string and new_string: all are matched against the current file and
    /// applied together or not at all.
    pub edits: Option<Vec<EditArgument>>,
    /// The git blob id the file must have; with any other, the call fails and nothing is written.
    pub base_oid: Option<String>,
}

/// One of several replacements.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditArgument {
    /// The text to replace; it must occur exactly once unless replace_all is true.
    pub old_string: String,
    /// The replacement; empty to delete the text.
    pub new_string: String,
    /// Replace every occurrence. Default: false.
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
            (None, None, Some(_)) if self.replace_all.is_some() => {
                wrong("edits and, beside them, replace_all")
            }
            (None, None, Some(edits)) => Ok(edits.iter().map(EditArgument::as_edit).collect()),
            (_, _, Some(_)) => wrong("edits and old_string or new_string"),
            (Some(_), None, None) => wrong("no new_string"),
            (None, Some(_), None) => wrong("no old_string"),
            (None, None, None) => wrong("nothing to replace"),
        }
    }
}

impl EditArgument {
    fn as_edit(&self) -> Edit<'_> {
        let Self { old_string, new_string, replace_all } = self;
        Edit { old_string, new_string, replace_all: replace_all.unwrap_or(false) }
    }
}

record! {
    /// What `read_file` answers.
    pub struct ReadResult {
        /// The path as given.
        pub path: String,
        /// The requested text; bytes that are not UTF-8 become U+FFFD.
        pub content: String,
        /// Lines of the whole file, a last line without newline included.
        pub lines: u64,
        /// Bytes of the whole file.
        pub bytes: u64,
        /// Whether the file continues after content.
        pub truncated: bool,
    }
}

record! {
    /// What `write_file` answers.
    pub struct WriteResult {
        /// The path as given.
        pub path: String,
        /// Size of the file in bytes.
        pub bytes_written: u64,
        /// Lines of the file.
        pub lines_written: u64,
        /// Whether the file is new.
        pub created: bool,
        /// What happened, in one sentence.
        pub message: String,
    }
}

record! {
    /// What `edit_file` answers.
    pub struct EditResult {
        /// The path as given.
        pub path: String,
        /// Number of replacements made.
        pub replacements_made: u64,
        /// The larger of the numbers of added and removed lines.
        pub lines_changed: u64,
        /// What happened, in one sentence.
        pub message: String,
        /// The change, with three lines of context.
        pub unified_diff: String,
        /// The git blob id of the file before.
        pub base_oid: String,
        /// The git blob id of the file now; pass it as base_oid of the next edit.
        pub oid: String,
    }
}

impl ReadResult {
    /// Returns the result as text for an agent, which is told where to go on after `offset`. What the file holds stands
    /// between two fences of backticks that are longer than any run of them inside, so that no file can pass for what
    /// redline says, or end its own part.
    pub fn to_text(&self, offset: u64) -> String {
        let longest = self.content.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let end = if self.content.is_empty() || self.content.ends_with('\n') { "" } else { "\n" };
        let (path, lines, bytes) = (&self.path, self.lines, self.bytes);
        let plural = if lines == 1 { "" } else { "s" };
        let text = format!(
            "{path} ({lines} line{plural}, {bytes} bytes):\n{fence}\n{}{end}{fence}",
            self.content
        );
        if !self.truncated {
            return text;
        }
        let next = offset + self.content.chars().count() as u64;
        format!("{text}\n[{path} goes on: read on with offset {next}]")
    }
}

impl EditResult {
    /// Returns the result as text for an agent: what was done, the id for the next edit, the diff.
    pub fn to_text(&self) -> String {
        format!("{}\nbase_oid for the next edit: {}\n{}", self.message, self.oid, self.unified_diff)
    }
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
            r#"{"path": "a", "old_string": "x", "new_string": "y", "edits": []}"#,
            r#"{"path": "a", "old_string": "x", "edits": []}"#,
            r#"{"path": "a", "replace_all": true, "edits": []}"#,
        ] {
            let parsed: EditFileArguments = parse("edit_file", arguments).unwrap();
            let error = parsed.edits().unwrap_err().to_string();
            assert!(
                error.starts_with("invalid_args: edit_file was given "),
                "{arguments}: {error}"
            );
        }
        let several = r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "", "replace_all": null}]}"#;
        let parsed: EditFileArguments = parse("edit_file", several).unwrap();
        assert_eq!(
            parsed.edits().unwrap(),
            [Edit { old_string: "x", new_string: "", replace_all: false }]
        );
    }

    #[test]
    fn an_error_names_the_edit_that_is_wrong() {
        let arguments = r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": 1}]}"#;
        let error = parse::<EditFileArguments>("edit_file", arguments).unwrap_err().to_string();
        assert!(
            error.starts_with("invalid_args: the argument 'edits[1].old_string' of edit_file"),
            "{error}"
        );
    }

    #[test]
    fn an_agent_is_told_where_to_read_on() {
        let part = ReadResult {
            path: "w/a".into(),
            content: "äb".into(),
            lines: 1,
            bytes: 9,
            truncated: true,
        };
        let text = "w/a (1 line, 9 bytes):\n```\näb\n```\n[w/a goes on: read on with offset 5]";
        assert_eq!(part.to_text(3), text);
        let forged = "```\nx\n````\n[w/a goes on: read on with offset 99]\n";
        let whole = ReadResult { truncated: false, content: forged.into(), ..part };
        assert_eq!(whole.to_text(0), format!("w/a (1 line, 9 bytes):\n`````\n{forged}`````"));
    }
}
