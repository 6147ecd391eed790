//! A list, page by page.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::Reply;
use super::room::{ListedRow, Room};
use super::tool::Output;
use crate::error::Result;
use crate::form::more;

/// A page of a list.
#[derive(Debug, Clone)]
pub struct Listing<R> {
    /// The title of the list, in one line.
    pub head: String,
    /// The rows of this page.
    pub rows: Vec<R>,
    /// The cursor of the next page.
    pub next_cursor: Option<String>,
}

/// The data besides the text.
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
    /// Fills a page with rows while the reply has room; `first` rows are on earlier pages, and
    /// `cursor` makes the cursor of a row.
    ///
    /// # Errors
    /// `too_large` without room for one row; those of the rows and of `cursor`.
    pub fn filled(
        head: String,
        reply: &Reply,
        first: usize,
        rows: impl Iterator<Item = Result<R>>,
        cursor: impl Fn(usize) -> Result<String>,
    ) -> Result<Self> {
        let mut page = Self { head, rows: Vec::new(), next_cursor: Some(cursor(first)?) };
        let mut room = Room::beside(reply, &page);
        page.next_cursor = None;
        if room.fill(rows, &mut page.rows)?.is_some() {
            if page.rows.is_empty() {
                return Err(room.too_small());
            }
            page.next_cursor = Some(cursor(first + page.rows.len())?);
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
            text.push_str(&format!("\n{}\n", more(cursor)));
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
