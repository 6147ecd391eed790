//! The answer to a call: MCP's `CallToolResult`, within its budget.

use serde::Serialize;
use serde_json::Value;

use super::arguments::parse;
use super::tool::{Output, Tool};
use redline_base::budget::{CopiedText, Grow};
use redline_base::error::{Error, Result};
use redline_base::form::Form;
use redline_base::{limits, strict_json};

/// The bytes by which the numbers of an answer may be longer than those of an empty one.
const NUMBERS: usize = 96;

/// How to answer a call.
#[derive(Debug, Clone, Copy)]
pub struct Reply {
    /// The part of the answer that is returned: its text, or all of its JSON.
    pub form: Form,
    /// Whether the answer is given as values.
    pub is_data: bool,
    /// The bytes of the returned part.
    pub max_bytes: usize,
}

impl Reply {
    /// Returns the reply to a call without options.
    pub const fn new(form: Form) -> Self {
        Self { form, is_data: false, max_bytes: limits::ANSWER_BYTES }
    }

    /// Returns how the content of the answer is carried.
    pub const fn body(&self) -> Form {
        if self.is_data { Form::Json } else { self.form }
    }

    /// Returns the room for content beside an output that is empty.
    pub fn room(&self, empty: &impl Output) -> usize {
        let fixed = self.bytes(&self.whole(empty)) + NUMBERS;
        self.max_bytes.saturating_sub(fixed)
    }

    /// Returns the answer.
    ///
    /// # Errors
    /// `too_large` for values over the budget; a text is cut.
    pub fn answer(&self, output: &impl Output) -> Result<Answer> {
        let answer = self.whole(output);
        if self.is_data && self.bytes(&answer) > self.max_bytes {
            return Err(Error::too_large(format!(
                "the answer has {} bytes as JSON, and max_bytes is {}",
                self.bytes(&answer),
                self.max_bytes
            ))
            .with_hint("Give a larger max_bytes, or leave out format"));
        }
        Ok(self.fit(answer))
    }

    /// Returns the answer of a tool's work to a call, whose arguments also give the form of the
    /// answer, which holds for an error, too.
    ///
    /// # Errors
    /// `invalid_args`, `too_large`, and those of the work.
    pub fn answered<T: Tool>(
        &mut self,
        text: &str,
        work: impl FnOnce(Self, T::Arguments) -> Result<T::Output>,
    ) -> Result<Answer> {
        let given = parse::<T>(text)?;
        self.max_bytes = given.max_bytes.unwrap_or(self.max_bytes);
        self.is_data = given.is_data;
        let output = work(*self, given.arguments)?;
        self.answer(&output)
    }

    /// Returns the answer to a failed call: the code, the error and the hint.
    pub fn error(&self, error: &Error) -> Answer {
        self.fit(Answer {
            text: error.to_string(),
            values: None,
            is_error: true,
            next_cursor: None,
        })
    }

    fn whole(&self, output: &impl Output) -> Answer {
        // Some clients show their model only the values if there are any, so a text has none.
        let next_cursor = output.next_cursor().map(str::to_owned);
        if !self.is_data {
            return Answer { text: output.text(), values: None, is_error: false, next_cursor };
        }
        let values = serde_json::to_value(output);
        let values = values.expect("answers have string keys and finite numbers");
        Answer { text: output.line(), values: Some(values), is_error: false, next_cursor }
    }

    fn bytes(&self, answer: &Answer) -> usize {
        match self.form {
            Form::Text => answer.as_text().len(),
            Form::Json => answer.to_json().len() + limits::TRANSPORT_BYTES,
        }
    }

    /// Cuts a text without room: a last resort, as tools keep within theirs.
    fn fit(&self, mut answer: Answer) -> Answer {
        let over = self.bytes(&answer).saturating_sub(self.max_bytes);
        if over > 0 {
            let mark = format!("\n[answer cut at {} bytes]", self.max_bytes);
            let whole = self.form.cost(&answer.text);
            let room = whole.saturating_sub(over + self.form.cost(&mark));
            let kept = self.form.fitting(&answer.text, room).len();
            answer.text.truncate(kept);
            answer.text.add(mark);
        }
        answer
    }
}

/// MCP's `CallToolResult`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallResult<'a> {
    content: [Content<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a Value>,
    is_error: bool,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    text: &'a str,
}

/// Returns JSON.
fn written(value: &impl Serialize) -> String {
    strict_json::write(value).expect("answers have string keys and finite numbers")
}

/// An answer: a text for an agent to read, or values for a program with a line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    text: String,
    /// The values of the output schema, and the content.
    values: Option<Value>,
    is_error: bool,
    /// The cursor of the next page.
    next_cursor: Option<String>,
}

impl Answer {
    /// Returns the cursor of the next page.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }

    /// Returns the answer as text; as JSON if values were asked for.
    pub fn as_text(&self) -> String {
        self.values.as_ref().map_or_else(|| self.text.copied_text(), written)
    }

    /// Returns the `CallToolResult` as JSON.
    pub fn to_json(&self) -> String {
        let result = CallResult {
            content: [Content { kind: "text", text: &self.text }],
            structured_content: self.values.as_ref(),
            is_error: self.is_error,
        };
        written(&result)
    }
}
