//! One argument, wherever it was given.

use crate::ffi::{Arguments, Constant, Value};

/// An argument; its type is that of the parameter.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// Of a table function, or a field of the options.
    Value(&'a Value),
    /// Of a row, at this index.
    Row(Arguments<'a>, usize),
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

    /// Returns the bytes of a VARCHAR.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Value(value) => value.as_text().map(str::as_bytes),
            Self::Row(arguments, place) => arguments.text(place),
            Self::Default(Constant::Text(text)) => Some(text.as_bytes()),
            Self::Default(_) => None,
        }
    }

    /// Returns the bytes of a VARCHAR or a BLOB.
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Row(arguments, place) => arguments.bytes(place),
            given => given.text(),
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
