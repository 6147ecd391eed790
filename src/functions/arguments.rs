//! Checking arguments at bind.

use crate::error::{Error, Result};
use crate::ffi::{Arguments, Value};
use crate::text::DiffOptions;

/// Returns a required text argument of a table function.
pub fn required_text(value: &Value, function: &str, name: &str) -> Result<String> {
    value.as_text().map(str::to_owned).ok_or_else(|| {
        Error::invalid_args(format!("the argument '{name}' of {function} is NULL")).with_hint("Give a text")
    })
}

/// Returns a text argument of a row; the caller has handled NULL.
pub fn row_text(arguments: Arguments<'_>, index: usize, name: &str) -> Result<String> {
    let bytes = arguments.text(index).unwrap_or_default();
    if bytes.contains(&0) {
        return Err(Error::invalid_args(format!("the argument '{name}' holds a NUL character"))
            .with_hint("Revisions and paths never do"));
    }
    String::from_utf8(bytes.to_vec())
        .map_err(|error| Error::invalid_args(format!("the argument '{name}' is not valid UTF-8")).with_source(error))
}

/// Returns the diff options of a `context` argument: NULL is git's default, -1 the whole file.
pub fn context(given: Option<i64>) -> Result<DiffOptions> {
    let context = match given {
        None => Some(DiffOptions::CONTEXT),
        Some(-1) => None,
        Some(lines) if lines >= 0 => Some(u32::try_from(lines).unwrap_or(u32::MAX)),
        Some(lines) => {
            return Err(Error::invalid_args(format!("context is {lines}"))
                .with_hint("Give 0 or more lines, or -1 for the whole file"));
        }
    };
    Ok(DiffOptions { context })
}
