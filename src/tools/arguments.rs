//! The arguments of a call: JSON text to a checked Rust value.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result, escaped};
use crate::strict_json;

/// Reads the arguments of a tool from a JSON object; a null argument is one that was left out.
///
/// # Errors
/// `invalid_args:` for what is no JSON object, and, by its name, for an argument that is unknown,
/// of another type, or missing.
pub fn parse<T: DeserializeOwned>(tool: &str, text: &str) -> Result<T> {
    let value: Value = if text.trim().is_empty() {
        Value::Object(Default::default())
    } else {
        strict_json::parse(text).map_err(|error| {
            Error::invalid_args(format!(
                "the arguments of {tool} are not JSON: {}",
                escaped(&error.to_string())
            ))
            .with_hint("Give one JSON object whose keys are the arguments' names, each once")
        })?
    };
    let Value::Object(mut arguments) = value else {
        return Err(Error::invalid_args(format!(
            "the arguments of {tool} are {}, not an object",
            kind(&value)
        ))
        .with_hint("Give one JSON object whose keys are the arguments' names"));
    };
    arguments.retain(|_, value| !value.is_null());
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let words = error.inner().to_string();
        // The path of what is unknown or missing is the object's own.
        let place = if path == "." || words.contains("field `") {
            String::new()
        } else {
            format!(" '{}'", escaped(&path))
        };
        Error::invalid_args(format!(
            "the argument{place} of {tool} cannot be used: {}",
            escaped(&words)
        ))
        .with_hint(format!("redline_tools() shows what {tool} takes"))
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
