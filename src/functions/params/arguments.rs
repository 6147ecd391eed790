//! Checking arguments at bind.

use crate::budget::owned;
use crate::edit::Session;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Value};
use crate::limits;

/// Returns a required text argument of a table function.
pub fn required_text(value: &Value, function: &str, name: &str) -> Result<String> {
    value.as_text().map(str::to_owned).ok_or_else(|| {
        Error::invalid_args(format!("the argument '{name}' of {function} is NULL"))
            .with_hint("Give a text")
    })
}

/// Returns a text argument of a row that changes a file; a NULL is an error and no silent nothing.
pub fn change_text(
    arguments: Arguments<'_>,
    index: usize,
    function: &str,
    name: &str,
) -> Result<String> {
    let Some(bytes) = arguments.text(index) else {
        return Err(Error::invalid_args(format!("the argument '{name}' of {function} is NULL"))
            .with_hint("Give a text; '' is an empty one"));
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::invalid_args(format!("the argument '{name}' is not valid UTF-8")).with_source(error)
    })?;
    Ok(owned(text)?)
}

/// Returns the path of a row that changes a file, its first argument; a NULL is an error.
pub fn change_path(arguments: Arguments<'_>, function: &str) -> Result<String> {
    change_text(arguments, 0, function, "path")?;
    row_text(arguments, 0, "path")
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

/// Returns the session that an argument names, or that of the connection where it is NULL or missing.
pub fn session_argument(
    arguments: Arguments<'_>,
    index: usize,
    connection: u64,
) -> Result<Session> {
    let Some(name) = arguments.text(index) else { return Ok(Session::Connection(connection)) };
    if name.is_empty() || name.len() > limits::SESSION_BYTES {
        return Err(Error::invalid_args(format!(
            "the name of the session has {} bytes",
            name.len()
        ))
        .with_hint(format!("Give 1 to {} bytes that nobody can guess", limits::SESSION_BYTES)));
    }
    Ok(Session::Named(String::from_utf8_lossy(name).into_owned()))
}
