//! A list, page by page.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::room::{ListedRow, Rest};
use super::tool::Output;

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(bound = "R: ListedRow")]
#[schemars(bound = "R: ListedRow")]
pub struct Listing<R> {
    /// The title of the list, in one line.
    #[serde(skip)]
    pub head: String,
    /// The number of rows of this page.
    pub count: usize,
    /// The next page.
    #[serde(flatten)]
    pub rest: Rest,
    /// The rows of this page.
    #[serde(flatten, serialize_with = "named")]
    #[schemars(skip)]
    pub rows: Vec<R>,
}

/// Serializes rows as a list with their name.
fn named<R: ListedRow, S: Serializer>(rows: &[R], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map([(R::NAME, R::values(rows))])
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

    fn next_cursor(&self) -> Option<&str> {
        self.rest.cursor()
    }
}
