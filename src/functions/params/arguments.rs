//! Checking arguments at bind.

use crate::budget::owned;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Value};

/// Returns a required text argument of a table function.
pub fn required_text(value: &Value, function: &str, name: &str) -> Result<String> {
    value.as_text().map(str::to_owned).ok_or_else(|| {
        Error::invalid_args(format!("the argument '{name}' of {function} is NULL"))
            .with_hint("Give a text")
    })
}

/// Returns a text argument of a row; the caller has handled NULL.
pub fn row_text(arguments: Arguments<'_>, index: usize, name: &str) -> Result<String> {
    let bytes = arguments.text(index).unwrap_or_default();
    if bytes.contains(&0) {
        return Err(Error::invalid_args(format!("the argument '{name}' contains a NUL character"))
            .with_hint("Revisions and paths contain no NUL"));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::invalid_args(format!("the argument '{name}' is not valid UTF-8")).with_source(error)
    })?;
    Ok(owned(text)?)
}
