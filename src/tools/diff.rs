//! `Diff`: two texts or two files.

use schemars::JsonSchema;
use serde::Deserialize;

use super::diff_result::{DiffResult, MAX_CONTEXT};
use crate::error::{Error, Result, escaped};

/// The arguments of `Diff`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffArguments {
    /// Path of the first file; requires path_b and excludes text_a and text_b.
    pub path_a: Option<String>,
    /// Path of the second file.
    pub path_b: Option<String>,
    /// The first text; requires text_b and excludes path_a and path_b.
    pub text_a: Option<String>,
    /// The second text.
    pub text_b: Option<String>,
    /// Name of the first side in the diff. Default: its path, or a.
    pub label_a: Option<String>,
    /// Name of the second side in the diff. Default: its path, or b.
    pub label_b: Option<String>,
    /// Unchanged lines around a change, 0 to 20. Default: 3.
    #[schemars(range(min = 0, max = MAX_CONTEXT))]
    pub context_lines: Option<i64>,
}

/// What is compared.
#[derive(Debug, PartialEq, Eq)]
pub enum DiffMode<'a> {
    /// Two files.
    Paths(&'a str, &'a str),
    /// Two texts.
    Texts(&'a str, &'a str),
}

impl DiffArguments {
    /// Returns what is compared: exactly one pair must be given.
    pub fn mode(&self) -> Result<DiffMode<'_>> {
        let given = [
            ("path_a", &self.path_a),
            ("path_b", &self.path_b),
            ("text_a", &self.text_a),
            ("text_b", &self.text_b),
        ];
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

impl DiffResult {
    /// Returns the result as text for an agent.
    pub fn to_text(&self) -> String {
        if self.identical {
            let lines =
                if self.lines_a == 1 { "1 line" } else { &format!("{} lines", self.lines_a) };
            // A label must not pass for a line of its own.
            format!(
                "{} and {} are identical ({lines}).",
                escaped(&self.label_a),
                escaped(&self.label_b)
            )
        } else {
            self.diff.clone()
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
            let error =
                parse::<DiffArguments>("Diff", arguments).unwrap().mode().unwrap_err().to_string();
            assert!(error.starts_with("invalid_args: Diff was given "), "{arguments}: {error}");
        }
        let arguments: DiffArguments =
            parse("Diff", r#"{"text_a": "", "text_b": "", "path_a": null}"#).unwrap();
        assert_eq!(arguments.mode().unwrap(), DiffMode::Texts("", ""));
    }

    #[test]
    fn an_error_names_the_argument() {
        for (arguments, name) in [
            (r#"{"text_a": 1}"#, "'text_a'"),
            (r#"{"context_lines": "3"}"#, "'context_lines'"),
            (r#"{"context_lines": 3.5}"#, "'context_lines'"),
            (r#"{"label_a": ["x"]}"#, "'label_a'"),
            (r#"{"text_c": "x"}"#, "`text_c`"),
            (r#"{"Text_a": "x"}"#, "`Text_a`"),
            (r#"["x"]"#, "an array"),
            (r#"{"text_a": "#, "not JSON"),
            ("null", "null"),
        ] {
            let error = parse::<DiffArguments>("Diff", arguments).unwrap_err().to_string();
            assert!(
                error.starts_with("invalid_args:") && error.contains(name),
                "{arguments}: {error}"
            );
        }
    }
}
