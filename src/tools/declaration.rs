//! The declaration of a tool in the list, without its types.

use serde_json::Value;

use super::schema;
use super::tool::{Annotations, Tool};
use redline_base::limits;

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
    /// [`Tool::OPENS`].
    pub opens: &'static [&'static str],
    /// Returns the JSON Schema of the arguments of any host, unlisted ones included.
    pub arguments: fn() -> Value,
    /// [`Tool::UNLISTED`].
    pub unlisted: &'static [&'static str],
    /// Returns the JSON Schema of `structuredContent`.
    pub output_schema: fn() -> Value,
    /// The bytes of an answer where a call does not say.
    pub max_bytes: usize,
}

impl Declaration {
    /// Returns the declaration of a tool.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            annotations: T::ANNOTATIONS,
            opens: T::OPENS,
            arguments: schema::input::<T>,
            unlisted: T::UNLISTED,
            output_schema: schema::output::<T>,
            max_bytes: limits::ANSWER_BYTES,
        }
    }

    /// Returns the JSON Schema of the listed arguments.
    pub fn input_schema(&self) -> Value {
        schema::without(self.all(), self.unlisted)
    }

    /// Returns the annotations as JSON.
    pub fn annotations_json(&self) -> String {
        serde_json::to_string(&self.annotations).expect("plain booleans")
    }

    /// Returns the schema of all arguments of a call, with those that are not listed.
    pub fn taken(&self) -> Value {
        schema::taken(self.all())
    }

    fn all(&self) -> Value {
        let mut schema = (self.arguments)();
        schema["properties"]["max_bytes"]["default"] = self.max_bytes.into();
        schema
    }
}
