//! The room of a page: what fits beside the fixed part of an answer, and how an answer says that
//! more follows.

use std::iter;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Reply;
use super::tool::Output;
use redline_base::budget::{Gather, Grow};
use redline_base::error::{Error, Result};
use redline_base::form::more;

/// The text and the values of a row of a list.
pub trait ListedRow: Serialize + Sized {
    /// The name of the list among the values.
    const NAME: &'static str;

    /// Returns the text that the row adds after the previous row.
    fn shown(&self, before: Option<&Self>) -> String;

    /// Returns the text of the rows of a page.
    fn text(rows: &[Self]) -> String {
        let before = iter::once(None).chain(rows.iter().map(Some));
        rows.iter().zip(before).map(|(row, before)| row.shown(before)).gather()
    }

    /// Returns the rows as values.
    fn values(rows: &[Self]) -> Value {
        json!(rows)
    }

    /// Returns the bytes that the row adds to the values after the previous row.
    fn value_bytes(&self, _before: Option<&Self>) -> usize {
        serde_json::to_string(self).map_or(0, |json| json.len() + ",".len())
    }
}

/// What follows a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rest {
    /// Whether another page follows.
    truncated: bool,
    /// Its cursor; null on the last page.
    next_cursor: Option<String>,
}

impl Rest {
    /// Returns the rest of a page, which begins at this cursor; `None` on the last page.
    pub fn at(next_cursor: Option<String>) -> Self {
        Self { truncated: next_cursor.is_some(), next_cursor }
    }

    /// Returns the cursor of the next page.
    pub fn cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }

    /// Returns the end of a page as text.
    pub fn text(&self) -> String {
        self.cursor().map_or_else(String::new, |cursor| format!("\n{}\n", more(cursor)))
    }
}

/// The bytes that are left of an answer's budget.
pub struct Room {
    reply: Reply,
    left: usize,
}

impl Room {
    /// Returns the room beside an output that holds no content yet.
    pub fn beside(reply: &Reply, empty: &impl Output) -> Self {
        Self { reply: *reply, left: reply.room(empty) }
    }

    /// Returns the bytes that are left.
    pub const fn left(&self) -> usize {
        self.left
    }

    /// Takes bytes; tells whether there was room for them.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Takes what a text costs; among values, `names` bytes more for the names of its fields.
    pub fn take_text(&mut self, text: &str, names: usize) -> bool {
        let names = if self.reply.is_data { names } else { 0 };
        self.take(self.reply.body().cost(text) + names)
    }

    /// Puts rows on a page until there is no room for one; returns that one.
    ///
    /// # Errors
    /// Those of the rows.
    pub fn fill<R: ListedRow>(
        &mut self,
        rows: impl Iterator<Item = Result<R>>,
        page: &mut Vec<R>,
    ) -> Result<Option<R>> {
        for row in rows {
            let row = row?;
            let before = page.last();
            let bytes = match self.reply.is_data {
                true => row.value_bytes(before),
                false => self.reply.form.cost(&row.shown(before)),
            };
            if !self.take(bytes) {
                return Ok(Some(row));
            }
            page.add(row);
        }
        Ok(None)
    }

    /// Returns the error of a page without room for its first row.
    pub fn too_small(&self) -> Error {
        too_small(self.reply.max_bytes)
    }
}

/// Returns the error of a budget without room for the first piece of an answer.
pub fn too_small(max_bytes: usize) -> Error {
    Error::too_large(format!("max_bytes is {max_bytes}, too few for one row of the answer"))
        .with_hint("Give a larger max_bytes")
}
