//! What a call answers: MCP's `CallToolResult`.

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;

/// An answer: text for an agent to read, and the same as a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    text: String,
    /// What the output schema describes; an error has none.
    structured: Option<Value>,
}

impl Answer {
    /// Returns the answer of a call that went well.
    pub fn new(text: String, structured: &impl Serialize) -> Self {
        let structured =
            serde_json::to_value(structured).expect("answers have string keys and finite numbers");
        Self { text, structured: Some(structured) }
    }

    /// Returns the answer of a call that failed: the code, what was wrong and what to do.
    pub fn error(error: &Error) -> Self {
        Self { text: error.to_string(), structured: None }
    }

    /// Returns the text alone.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Returns the `CallToolResult` as JSON.
    pub fn to_json(&self) -> String {
        let content = json!([{"type": "text", "text": self.text}]);
        match &self.structured {
            Some(structured) => {
                json!({"content": content, "structuredContent": structured, "isError": false})
            }
            None => json!({"content": content, "isError": true}),
        }
        .to_string()
    }
}
