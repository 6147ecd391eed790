//! Arguments as plain Rust values.

use std::sync::Arc;

/// A value of an argument or a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A value of an unsupported type, by the type's name.
    Other(&'static str),
    /// BOOLEAN.
    Boolean(bool),
    /// Any integer that fits in signed 64 bits; larger ones saturate.
    Integer(i64),
    /// TIMESTAMPTZ, microseconds since 1970 in UTC; of arguments, not of list elements.
    Timestamp(i64),
    /// VARCHAR.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A struct; of arguments of scalar functions.
    Struct(Vec<(Arc<str>, Value)>),
}

impl Value {
    /// Returns the name of its type for a message; integers of all sizes have one.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Other(name) => name,
            Self::Boolean(_) => "BOOLEAN",
            Self::Integer(_) => "INTEGER",
            Self::Timestamp(_) => "TIMESTAMP",
            Self::Text(_) => "VARCHAR",
            Self::List(_) => "LIST",
            Self::Struct(_) => "STRUCT",
        }
    }

    /// Returns the text of a VARCHAR.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the number of an integer.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the value of a TIMESTAMPTZ in microseconds since 1970.
    pub fn as_timestamp(&self) -> Option<i64> {
        match self {
            Self::Timestamp(micros) => Some(*micros),
            _ => None,
        }
    }

    /// Returns the value of a BOOLEAN.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(truth) => Some(*truth),
            _ => None,
        }
    }

    /// Returns the texts of a list of VARCHAR, without NULLs.
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::List(values) => Some(values.iter().filter_map(Self::as_text).collect()),
            _ => None,
        }
    }
}
