//! `Diff`: two texts or two files.

use schemars::JsonSchema;
use serde::Deserialize;

use super::diff_result::DiffResult;
use super::tool::{Alias, Texts, Tool};
use redline_base::error::{Error, Result};
use redline_base::limits;

/// Compares two texts or two files.
pub struct Diff;

impl Tool for Diff {
    const NAME: &'static str = "Diff";
    const TITLE: &'static str = "Diff files or texts";
    const DESCRIPTION: &'static str = "The unified diff of two files or texts. Example: path_a = workspace/a.txt, path_b = workspace/b.txt";
    const ALIASES: &'static [Alias] = &[
        Alias::Means("file_a", "path_a"),
        Alias::Means("file_b", "path_b"),
        Alias::Means("old_text", "text_a"),
        Alias::Means("new_text", "text_b"),
        Alias::Means("old_path", "path_a"),
        Alias::Means("new_path", "path_b"),
        Alias::Means("path1", "path_a"),
        Alias::Means("path2", "path_b"),
        Alias::Means("file1", "path_a"),
        Alias::Means("file2", "path_b"),
        Alias::Means("a", "text_a"),
        Alias::Means("b", "text_b"),
        Alias::Say(
            "from",
            "Call GitDiff for revisions; Diff compares path_a and path_b, or text_a and text_b",
        ),
        Alias::Say(
            "repo",
            "Call GitDiff for a repository; Diff compares path_a and path_b, or text_a and text_b",
        ),
        Alias::Means("oldText", "text_a"),
        Alias::Means("newText", "text_b"),
        Alias::Say("cursor", "A long diff is cut and has no cursor: give a larger max_bytes"),
        Alias::Say("path", "Give path_a and path_b"),
    ];
    const TEXTS: &'static [Texts] =
        &[Texts { names: &["text_a", "text_b"], unless: &["path_a", "path_b"] }];
    const UNLISTED: &'static [&'static str] = &["label_a", "label_b", "context_lines", "max_bytes"];
    type Arguments = DiffArguments;
    type Output = DiffResult;
}

/// The arguments of `Diff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffArguments {
    /// The old file: sandbox/relative/path.
    pub path_a: Option<String>,
    /// The new file.
    pub path_b: Option<String>,
    /// Instead of path_a.
    pub text_a: Option<String>,
    /// Instead of path_b.
    pub text_b: Option<String>,
    /// Name of the old side.
    pub label_a: Option<String>,
    /// Name of the new side.
    pub label_b: Option<String>,
    /// 0 to 20. Default: 3.
    pub context_lines: Option<i64>,
}

/// The sides of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub enum DiffMode<'a> {
    /// Two files.
    Paths(&'a str, &'a str),
    /// Two texts.
    Texts(&'a str, &'a str),
}

impl DiffArguments {
    /// Returns the sides: exactly one pair must be given.
    pub fn mode(&self) -> Result<DiffMode<'_>> {
        let given = [
            ("path_a", &self.path_a),
            ("path_b", &self.path_b),
            ("text_a", &self.text_a),
            ("text_b", &self.text_b),
        ];
        for (name, label) in [("label_a", &self.label_a), ("label_b", &self.label_b)] {
            let bytes = label.as_ref().map_or(0, String::len);
            if bytes > limits::LABEL_BYTES {
                return Err(Error::invalid_args(format!("{name} has {bytes} bytes"))
                    .with_hint(format!("Give a name of at most {} bytes", limits::LABEL_BYTES)));
            }
        }
        let values = given.map(|(_, value)| value.as_deref());
        match values {
            [Some(a), Some(b), None, None] => Ok(DiffMode::Paths(a, b)),
            [None, None, Some(a), Some(b)] => Ok(DiffMode::Texts(a, b)),
            _ => {
                let names: Vec<&str> = given
                    .iter()
                    .filter(|(_, value)| value.is_some())
                    .map(|(name, _)| *name)
                    .collect();
                let names = if names.is_empty() {
                    "no path and no text".to_owned()
                } else {
                    names.join(" and ")
                };
                Err(Error::invalid_args(format!("Diff was given {names}"))
                    .with_hint("Give either path_a and path_b, or text_a and text_b"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_mixed_half_or_empty_mode_is_refused() {
        for arguments in [
            "{}",
            "",
            r#"{"path_a": "x"}"#,
            r#"{"text_b": "x"}"#,
            r#"{"path_a": "x", "text_b": "y"}"#,
            r#"{"path_a": "x", "path_b": "y", "text_a": "z"}"#,
            r#"{"path_a": "x", "path_b": "y", "text_a": "z", "text_b": "w"}"#,
            r#"{"path_a": "x", "path_b": null}"#,
        ] {
            let given = parse::<Diff>(arguments).unwrap().arguments;
            let error = given.mode().unwrap_err().to_string();
            assert!(error.starts_with("invalid_args: Diff was given "), "{arguments}: {error}");
        }
        let given = parse::<Diff>(r#"{"text_a": "", "text_b": "", "path_a": null}"#).unwrap();
        assert_eq!(given.arguments.mode().unwrap(), DiffMode::Texts("", ""));
    }

    #[test]
    fn an_error_names_the_argument() {
        for (arguments, name) in [
            (r#"{"text_a": 1}"#, "'text_a'"),
            (r#"{"context_lines": "three"}"#, "'context_lines'"),
            (r#"{"context_lines": 3.5}"#, "'context_lines'"),
            (r#"{"label_a": ["x"]}"#, "'label_a'"),
            (r#"{"text_c": "x"}"#, "'text_c'"),
            (r#"{"Text_a": "x"}"#, "'Text_a'"),
            (r#"["x"]"#, "an array"),
            (r#"{"text_a": "#, "not JSON"),
            ("null", "null"),
        ] {
            let error = parse::<Diff>(arguments).unwrap_err().to_string();
            assert!(
                error.starts_with("invalid_args:") && error.contains(name),
                "{arguments}: {error}"
            );
        }
    }
}
