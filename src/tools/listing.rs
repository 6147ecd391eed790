//! A list that is answered page by page.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::answer::Reply;
use super::tool::Output;
use crate::error::{Error, Result};

/// What a list has one of per row.
pub trait ListedRow: Serialize {
    /// The name of the list among the values.
    const NAME: &'static str;

    /// Returns what the row adds to the text behind the one before it.
    fn shown(&self, before: Option<&Self>) -> String;

    /// Returns the rows as values.
    fn values(rows: &[Self]) -> Value
    where
        Self: Sized,
    {
        json!(rows)
    }

    /// Returns the bytes that the row adds to the values behind the one before it.
    fn value_bytes(&self, _before: Option<&Self>) -> usize {
        serde_json::to_string(self).map_or(0, |json| json.len() + ",".len())
    }
}

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Listing<R> {
    /// What is listed, in one line.
    pub head: String,
    /// The rows of this page.
    pub rows: Vec<R>,
    /// What leads to the next page.
    pub next_cursor: Option<String>,
}

/// What stands beside the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ListingFacts {
    /// Rows of this page.
    pub count: u64,
    /// Whether another page follows.
    pub truncated: bool,
    /// Its cursor.
    pub next_cursor: Option<String>,
}

impl<R: ListedRow> Listing<R> {
    /// Fills a page with rows, of which `first` stand on the pages before it, as far as the reply has room; `cursor` makes
    /// what leads to a row.
    ///
    /// # Errors
    /// `too_large` where there is no room for one row; those of the rows and of `cursor`.
    pub fn filled(
        head: String,
        reply: &Reply,
        first: usize,
        rows: impl Iterator<Item = Result<R>>,
        cursor: impl Fn(usize) -> Result<String>,
    ) -> Result<Self> {
        let mut page = Self { head, rows: Vec::new(), next_cursor: Some(cursor(first)?) };
        let mut room = reply.room(&page);
        page.next_cursor = None;
        for row in rows {
            let row = row?;
            let before = page.rows.last();
            let bytes = if reply.is_data {
                row.value_bytes(before)
            } else {
                reply.form.cost(&row.shown(before))
            };
            let Some(left) = room.checked_sub(bytes) else {
                if page.rows.is_empty() {
                    return Err(Error::too_large(format!("max_bytes is {}", reply.max_bytes))
                        .with_hint("Give a larger max_bytes"));
                }
                page.next_cursor = Some(cursor(first + page.rows.len())?);
                break;
            };
            room = left;
            page.rows.push(row);
        }
        Ok(page)
    }
}

impl<R: ListedRow> Output for Listing<R> {
    type Facts = ListingFacts;
    type Content = Map<String, Value>;

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.head);
        let mut before = None;
        for row in &self.rows {
            text.push_str(&row.shown(before));
            before = Some(row);
        }
        if let Some(cursor) = &self.next_cursor {
            text.push_str(&format!("\n[goes on: the same call with cursor {cursor}]\n"));
        }
        text
    }

    fn line(&self) -> String {
        match self.next_cursor {
            Some(_) => format!("{}; {} {} here, more follow", self.head, self.rows.len(), R::NAME),
            None => self.head.clone(),
        }
    }

    fn facts(&self) -> ListingFacts {
        ListingFacts {
            count: self.rows.len() as u64,
            truncated: self.next_cursor.is_some(),
            next_cursor: self.next_cursor.clone(),
        }
    }

    fn content(&self) -> Map<String, Value> {
        Map::from_iter([(R::NAME.to_owned(), R::values(&self.rows))])
    }
}
