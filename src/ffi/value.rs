//! Arguments and settings as plain Rust values.

use std::ops::Deref;
use std::sync::Arc;

use duckdb::core::LogicalTypeId;
use libduckdb_sys as sys;

use super::api::Outside;
use super::moment::moment;

/// An owned copy of a DuckDB value.
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
    /// VARCHAR. DuckDB's C API ends a value at its first NUL.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A struct; of arguments of scalar functions.
    Struct(Vec<(Arc<str>, Value)>),
}

/// A DuckDB value, which the duckdb crate reads with functions that may throw. It borrows the
/// [`Outside`], as these functions do by their class, so that none is read while a panic is
/// contained. Destroyed when dropped.
struct HostValue<'o> {
    value: duckdb::vtab::Value,
    outside: &'o Outside,
}

impl HostValue<'_> {
    /// Returns the elements of a list; none for another value.
    fn elements(&self) -> impl Iterator<Item = Self> {
        let Self { value, outside } = self;
        let elements = value.to_list().unwrap_or_default();
        elements.into_iter().map(|value| Self { value, outside })
    }
}

impl Deref for HostValue<'_> {
    type Target = duckdb::vtab::Value;

    fn deref(&self) -> &Self::Target {
        &self.value
    }
}

impl Value {
    /// Copies a value and destroys the original; a null pointer is NULL.
    ///
    /// # Safety
    /// `raw` must be null or an owned value of the API.
    pub(super) unsafe fn take(outside: &Outside, raw: sys::duckdb_value) -> Self {
        if raw.is_null() {
            return Self::Null;
        }
        let value = HostValue { value: raw.into(), outside };
        if !value.is_null() && value.logical_type_id() == LogicalTypeId::TimestampTZ {
            // SAFETY: `raw` lives as long as `value`, and is of the requested type.
            return Self::Timestamp(unsafe { outside.duckdb_get_timestamp_tz(raw) }.micros);
        }
        Self::copy(&value)
    }

    fn copy(value: &HostValue<'_>) -> Self {
        // Reading a NULL as text aborts the process, so this test comes first.
        if value.is_null() {
            return Self::Null;
        }
        match value.logical_type_id() {
            LogicalTypeId::Boolean => Self::Boolean(value.to_bool()),
            LogicalTypeId::Tinyint
            | LogicalTypeId::Smallint
            | LogicalTypeId::Integer
            | LogicalTypeId::Bigint
            | LogicalTypeId::UTinyint
            | LogicalTypeId::USmallint
            | LogicalTypeId::UInteger => Self::Integer(value.to_int64()),
            LogicalTypeId::UBigint => {
                Self::Integer(i64::try_from(value.to_uint64()).unwrap_or(i64::MAX))
            }
            LogicalTypeId::Varchar => Self::Text(value.to_string()),
            LogicalTypeId::List => {
                Self::List(value.elements().map(|element| Self::copy(&element)).collect())
            }
            _ => Self::Other("value of another type"),
        }
    }

    /// Returns the timestamp that DuckDB reads in a text; any other value as it is.
    pub(super) fn into_moment(self, outside: &Outside) -> Self {
        match &self {
            Self::Text(text) => moment(outside, text.as_bytes()).map_or(self, Self::Timestamp),
            _ => self,
        }
    }

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
