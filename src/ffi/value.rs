//! Arguments and settings as plain Rust values. A text ends at its first NUL, as in DuckDB's C API.

use std::ops::Deref;

use duckdb::core::LogicalTypeId;
use libduckdb_sys as sys;

use super::api::Outside;
use super::moment::moment;
use redline_rows::params::Value;

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

/// Copies a value and destroys the original; a null pointer is NULL.
///
/// # Safety
/// `raw` must be null or an owned value of the API.
pub(super) unsafe fn take(outside: &Outside, raw: sys::duckdb_value) -> Value {
    if raw.is_null() {
        return Value::Null;
    }
    let value = HostValue { value: raw.into(), outside };
    if !value.is_null() && value.logical_type_id() == LogicalTypeId::TimestampTZ {
        // SAFETY: `raw` lives as long as `value`, and is of the requested type.
        return Value::Timestamp(unsafe { outside.duckdb_get_timestamp_tz(raw) }.micros);
    }
    copy(&value)
}

fn copy(value: &HostValue<'_>) -> Value {
    // Reading a NULL as text aborts the process, so this test comes first.
    if value.is_null() {
        return Value::Null;
    }
    match value.logical_type_id() {
        LogicalTypeId::Boolean => Value::Boolean(value.to_bool()),
        LogicalTypeId::Tinyint
        | LogicalTypeId::Smallint
        | LogicalTypeId::Integer
        | LogicalTypeId::Bigint
        | LogicalTypeId::UTinyint
        | LogicalTypeId::USmallint
        | LogicalTypeId::UInteger => Value::Integer(value.to_int64()),
        LogicalTypeId::UBigint => {
            Value::Integer(i64::try_from(value.to_uint64()).unwrap_or(i64::MAX))
        }
        LogicalTypeId::Varchar => Value::Text(value.to_string()),
        LogicalTypeId::List => {
            Value::List(value.elements().map(|element| copy(&element)).collect())
        }
        _ => Value::Other("value of another type"),
    }
}

/// Returns the timestamp that DuckDB reads in a text; any other value as it is.
pub(super) fn as_moment(value: Value, outside: &Outside) -> Value {
    match &value {
        Value::Text(text) => moment(outside, text.as_bytes()).map_or(value, Value::Timestamp),
        _ => value,
    }
}
