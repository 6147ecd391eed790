//! A tool's list as a view of a question: the columns that it shows, and how a row reads.

use std::marker::PhantomData;

use super::pages::{path_text, short, shown};
use redline_base::budget::Gather;
use redline_base::error::{escaped, visible};
use redline_rows::Row;
use redline_tools::{ListedRow, Reply};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A list whose rows are those of a question.
pub trait View: 'static {
    /// The name of the list among the values.
    const LIST: &'static str;
    /// The question's row.
    type Row: Row;
    /// The columns that are shown, by their names in SQL, each with what its texts become.
    const COLUMNS: &'static [(&'static str, Shows)];

    /// Returns a row as text. It is made of the shown values alone, in which nothing hides or
    /// reorders what a model reads.
    fn text(row: &Values) -> String;
}

/// What a text becomes that is shown.
pub type Shows = fn(String, &Reply) -> String;

/// A word of redline, an id or a number as it is.
pub fn plain(text: String, _: &Reply) -> String {
    text
}

/// A line without characters that hide or reorder it, cut if it is long.
pub fn line(text: String, _: &Reply) -> String {
    visible(&text)
}

/// A path that can be used as an argument, escaped if it hides or reorders text.
pub fn path(text: String, _: &Reply) -> String {
    escaped(&text)
}

/// The name of a reference without the prefix of its kind, which can be used as an argument.
pub fn reference(text: String, _: &Reply) -> String {
    path_text(short(text.as_bytes()))
}

/// The same for display, cut if it is long.
pub fn target(text: String, _: &Reply) -> String {
    shown(short(text.as_bytes()))
}

/// The values of a row of a view.
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Returns the value of a column that the view shows.
    fn value(&self, column: &str) -> &Value {
        let found = self.0.iter().find(|(name, _)| *name == column);
        found.map_or_else(|| panic!("the view shows no column {column}"), |(_, value)| value)
    }

    /// Returns a text; `None` for NULL.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.value(column).as_str()
    }

    /// Returns a number that is not negative; `None` for NULL.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.value(column).as_u64()
    }

    /// Tells whether a column is true.
    pub fn is(&self, column: &str) -> bool {
        *self.value(column) == Value::Bool(true)
    }
}

/// A row of a view, as it is listed.
pub struct Viewed<V> {
    values: Values,
    view: PhantomData<fn() -> V>,
}

impl<V: View> Viewed<V> {
    /// Returns a row of the question for an answer.
    pub fn of(row: <V::Row as Row>::Of<'_>, reply: &Reply) -> Self {
        let column = |&(name, shows): &(&'static str, Shows)| {
            let value = match V::Row::COLUMNS.value(row, name) {
                Value::String(text) => Value::String(shows(text, reply)),
                other => other,
            };
            (name, value)
        };
        Self { values: Values(V::COLUMNS.iter().map(column).gather()), view: PhantomData }
    }
}

impl<V> Serialize for Viewed<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.values.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<V: View> ListedRow for Viewed<V> {
    const NAME: &'static str = V::LIST;

    fn shown(&self, _before: Option<&Self>) -> String {
        V::text(&self.values)
    }
}
