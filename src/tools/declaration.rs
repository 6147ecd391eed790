//! The declaration of a tool in the list, without its types.

use serde_json::Value;

use super::schema;
use super::tool::{Annotations, Tool};

/// A tool as it is listed.
#[derive(Clone, Copy)]
pub struct Declaration {
    /// [`Tool::NAME`].
    pub name: &'static str,
    /// [`Tool::TITLE`].
    pub title: &'static str,
    /// [`Tool::DESCRIPTION`].
    pub description: &'static str,
    /// [`Tool::ANNOTATIONS`].
    pub annotations: Annotations,
    /// Returns the JSON Schema of the arguments.
    pub input_schema: fn() -> Value,
    /// Returns the JSON Schema of `structuredContent`.
    pub output_schema: fn() -> Value,
}

impl Declaration {
    /// Returns the declaration of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            annotations: T::ANNOTATIONS,
            input_schema: schema::input::<T>,
            output_schema: schema::output::<T>,
        }
    }

    /// Returns the annotations as JSON.
    pub fn annotations_json(&self) -> String {
        serde_json::to_string(&self.annotations).expect("plain booleans")
    }

    /// Returns the schema of all arguments of a call, with those that are not listed.
    pub fn taken(&self) -> Value {
        schema::taken((self.input_schema)())
    }
}
