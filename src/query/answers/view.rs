//! A tool's list as a view of a question: the columns that it shows, and how a row reads.

use std::marker::PhantomData;

use super::pages::{path_text, short, shown, utc_text};
use redline_base::budget::Grow;
use redline_base::error::{escaped, visible};
use redline_rows::Row;
use redline_tools::{ListedRow, Reply};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A list whose rows are those of a question.
pub trait View: 'static {
    /// The name of the list among the values.
    const LIST: &'static str;
    /// The columns that are shown.
    const COLUMNS: ShownColumns;

    /// Returns a row as text. It is made of the shown values alone, in which nothing hides or
    /// reorders what a model reads.
    fn text(row: &Values) -> String;
}

/// Columns by their names in SQL, each with what its values become.
pub type ShownColumns = &'static [(&'static str, Shows)];

/// What a value becomes that is shown.
pub type Shows = fn(Value, &Reply) -> Value;

/// A word of redline, an id or a number as it is.
pub fn plain(value: Value, _: &Reply) -> Value {
    value
}

/// A line without characters that hide or reorder it, cut if it is long.
pub fn line(value: Value, _: &Reply) -> Value {
    text(value, visible)
}

/// The same; a line that is not known is empty.
pub fn known_line(value: Value, reply: &Reply) -> Value {
    if value.is_null() { "".into() } else { line(value, reply) }
}

/// A path that can be used as an argument, escaped if it hides or reorders text.
pub fn path(value: Value, _: &Reply) -> Value {
    text(value, escaped)
}

/// The name of a reference without the prefix of its kind, which can be used as an argument.
pub fn reference(value: Value, _: &Reply) -> Value {
    text(value, |name| path_text(short(name.as_bytes())))
}

/// The same for display, cut if it is long.
pub fn target(value: Value, _: &Reply) -> Value {
    text(value, |name| shown(short(name.as_bytes())))
}

/// A time in UTC, to the second.
pub fn time(value: Value, _: &Reply) -> Value {
    value.as_i64().map(utc_text).into()
}

/// Returns what a text becomes; NULL stays NULL.
pub fn text(value: Value, shows: impl FnOnce(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(shows(&text)),
        other => other,
    }
}

/// The shown values of a row, in order.
#[derive(Default)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Returns those of a row's own columns that are shown.
    pub fn of<R: Row>(shown: ShownColumns, row: R::Of<'_>, reply: &Reply) -> Self {
        let mut values = Self::default();
        values.add_row::<R>(shown, row, reply);
        values
    }

    fn add_row<R: Row>(&mut self, shown: ShownColumns, row: R::Of<'_>, reply: &Reply) {
        for &(name, shows) in shown {
            if let Some(value) = R::COLUMNS.value(row, name) {
                self.0.add((name, shows(value, reply)));
            }
        }
    }

    fn value(&self, column: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == column).map(|(_, value)| value)
    }

    /// Returns a text; `None` for NULL, and if the row has no such column.
    pub fn text(&self, column: &str) -> Option<&str> {
        self.value(column)?.as_str()
    }

    /// Returns the texts of a list.
    pub fn texts(&self, column: &str) -> impl ExactSizeIterator<Item = &str> {
        let texts = self.value(column).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        texts.iter().map(|text| text.as_str().unwrap_or_default())
    }

    /// Returns a number that is not negative; `None` for NULL, and if the row has no such column.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.value(column)?.as_u64()
    }

    /// Tells whether a column is true.
    pub fn is(&self, column: &str) -> bool {
        self.value(column) == Some(&Value::Bool(true))
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A row of a view, as it is listed.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Viewed<V> {
    values: Values,
    view: PhantomData<fn() -> V>,
}

impl<V: View> Viewed<V> {
    /// Returns a row of the question for an answer.
    pub fn of<R: Row>(row: R::Of<'_>, reply: &Reply) -> Self {
        Self { values: Values::of::<R>(V::COLUMNS, row, reply), view: PhantomData }
    }

    /// Returns the row with the columns of another one about the same.
    pub fn with<R: Row>(mut self, row: R::Of<'_>, reply: &Reply) -> Self {
        self.values.add_row::<R>(V::COLUMNS, row, reply);
        self
    }
}

impl<V: View> ListedRow for Viewed<V> {
    const NAME: &'static str = V::LIST;

    fn shown(&self, _before: Option<&Self>) -> String {
        V::text(&self.values)
    }
}
