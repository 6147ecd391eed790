//! The room of a page: what fits beside the fixed part of an answer, and how an answer says that
//! more follows.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Reply;
use super::tool::Output;
use crate::error::{Error, Result};
use crate::form::Form;

/// The text and the values of a row of a list.
pub trait ListedRow: Serialize {
    /// The name of the list among the values.
    const NAME: &'static str;

    /// Returns the text that the row adds after the previous row.
    fn shown(&self, before: Option<&Self>) -> String;

    /// Returns the rows as values.
    fn values(rows: &[Self]) -> Value
    where
        Self: Sized,
    {
        json!(rows)
    }

    /// Returns the bytes that the row adds to the values after the previous row.
    fn value_bytes(&self, _before: Option<&Self>) -> usize {
        serde_json::to_string(self).map_or(0, |json| json.len() + ",".len())
    }
}

/// The bytes that are left of an answer's budget.
pub struct Room {
    form: Form,
    is_data: bool,
    max_bytes: usize,
    left: usize,
}

impl Room {
    /// Returns the room beside an output that holds no content yet.
    pub fn beside(reply: &Reply, empty: &impl Output) -> Self {
        Self {
            form: reply.body(),
            is_data: reply.is_data,
            max_bytes: reply.max_bytes,
            left: reply.room(empty),
        }
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
        let names = if self.is_data { names } else { 0 };
        self.take(self.form.cost(text) + names)
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
            let bytes = match self.is_data {
                true => row.value_bytes(before),
                false => self.form.cost(&row.shown(before)),
            };
            if !self.take(bytes) {
                return Ok(Some(row));
            }
            page.push(row);
        }
        Ok(None)
    }

    /// Returns the error of a page without room for its first row.
    pub fn too_small(&self) -> Error {
        too_small(self.max_bytes)
    }
}

/// Returns the error of a budget without room for the first piece of an answer.
pub fn too_small(max_bytes: usize) -> Error {
    Error::too_large(format!("max_bytes is {max_bytes}, too few for one row of the answer"))
        .with_hint("Give a larger max_bytes")
}
