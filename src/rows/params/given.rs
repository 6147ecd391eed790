//! An argument, from where it is given.

use super::value::Value;
use crate::Constant;

/// The arguments of one row of a scalar function, or the fields of a struct among them, by their
/// places.
pub trait RowArguments: Sync {
    /// Returns the place of a parameter in the called overload; `None` if the overload lacks it.
    fn place(&self, name: &str) -> Option<usize>;

    /// Tells whether an argument is NULL, or this overload lacks it.
    fn is_null(&self, place: usize) -> bool;

    /// Returns the bytes of a VARCHAR or BLOB argument; `None` for NULL and for an argument this
    /// overload lacks.
    fn bytes(&self, place: usize) -> Option<&[u8]>;

    /// Returns a BIGINT argument; `None` for NULL and for an argument this overload lacks.
    fn bigint(&self, place: usize) -> Option<i64>;

    /// Returns a BOOLEAN argument; `None` for NULL and for an argument this overload lacks.
    fn boolean(&self, place: usize) -> Option<bool>;

    /// Returns the texts of a list, `None` for one that is NULL; none for a NULL list and for an
    /// argument this overload lacks.
    fn texts(&self, place: usize) -> Vec<Option<&[u8]>>;

    /// Returns the structs of a list, each with its fields, `None` for one that is NULL; `None` for
    /// a NULL list and for an argument this overload lacks.
    fn structs(&self, place: usize) -> Option<Vec<Option<Box<dyn RowArguments + '_>>>>;

    /// Returns the options: a struct if they have the right type, or NULL; NULL for an overload
    /// without options.
    fn options(&self) -> Value;
}

/// An argument; its type is that of the parameter.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// Of a table function, or a field of the options.
    Value(&'a Value),
    /// Of a row, at this index.
    Row(&'a dyn RowArguments, usize),
    /// Missing: the parameter's default.
    Default(Constant),
}

impl<'a> Given<'a> {
    /// Tells whether it is NULL.
    pub fn is_null(self) -> bool {
        match self {
            Self::Value(value) => *value == Value::Null,
            Self::Row(arguments, place) => arguments.is_null(place),
            Self::Default(constant) => constant == Constant::Null,
        }
    }

    /// Returns the bytes of a VARCHAR or a BLOB.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Value(value) => value.as_text().map(str::as_bytes),
            Self::Row(arguments, place) => arguments.bytes(place),
            Self::Default(Constant::Text(text)) => Some(text.as_bytes()),
            Self::Default(_) => None,
        }
    }

    /// Returns the texts of a row's VARCHAR[], `None` for each that is NULL.
    pub fn texts(self) -> Vec<Option<&'a [u8]>> {
        match self {
            Self::Row(arguments, place) => arguments.texts(place),
            Self::Value(_) | Self::Default(_) => Vec::new(),
        }
    }

    /// Returns a value that only table functions and options take: a list, or a time.
    pub fn value(self) -> Option<&'a Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Row(..) | Self::Default(_) => None,
        }
    }

    /// Returns an integer of any size.
    pub fn integer(self) -> Option<i64> {
        match self {
            Self::Value(value) => value.as_integer(),
            Self::Row(arguments, place) => arguments.bigint(place),
            Self::Default(Constant::Integer(number)) => Some(number),
            Self::Default(_) => None,
        }
    }

    /// Returns a BOOLEAN.
    pub fn truth(self) -> Option<bool> {
        match self {
            Self::Value(value) => value.as_boolean(),
            Self::Row(arguments, place) => arguments.boolean(place),
            Self::Default(Constant::Boolean(truth)) => Some(truth),
            Self::Default(_) => None,
        }
    }
}
