//! A list, page by page.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::answer::Reply;
use super::room::{ListedRow, Rest, Room};
use super::tool::Output;
use crate::error::Result;

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(bound = "R: ListedRow")]
#[schemars(bound = "R: ListedRow")]
pub struct Listing<R> {
    /// The title of the list, in one line.
    #[serde(skip)]
    pub head: String,
    /// The number of rows of this page.
    count: usize,
    #[serde(flatten)]
    rest: Rest,
    /// The rows of this page.
    #[serde(flatten, serialize_with = "named")]
    #[schemars(skip)]
    pub rows: Vec<R>,
}

/// Serializes rows as a list with their name.
fn named<R: ListedRow, S: Serializer>(
    rows: &[R],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map([(R::NAME, R::values(rows))])
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
        let rest = Rest::at(Some(cursor(first)?));
        let mut page = Self { head, count: 0, rest, rows: Vec::new() };
        let mut room = Room::beside(reply, &page);
        let over = room.fill(rows, &mut page.rows)?;
        page.count = page.rows.len();
        page.rest = match over {
            None => Rest::default(),
            Some(_) if page.rows.is_empty() => return Err(room.too_small()),
            Some(_) => Rest::at(Some(cursor(first + page.count)?)),
        };
        Ok(page)
    }
}

impl<R: ListedRow> Output for Listing<R> {
    fn text(&self) -> String {
        format!("{}\n{}{}", self.head, R::text(&self.rows), self.rest.text())
    }

    fn line(&self) -> String {
        match self.rest.cursor() {
            Some(_) => format!("{}; {} {} here, more follow", self.head, self.count, R::NAME),
            None => self.head.clone(),
        }
    }
}
