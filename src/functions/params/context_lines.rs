//! The number of unchanged lines around a change.
//!
//! The number has one meaning in every function: -1 is all lines. A number below -1 is an error,
//! except in functions that are total: DuckDB may call those on values that are in no row, so they
//! read every negative number as all lines.

use super::given::Given;
use super::param::{Asked, Kind, Numeric, Param, number};
use crate::error::{Error, Result};
use crate::ffi::Type;
use crate::text::DiffOptions;

/// Unchanged lines around a change; `None` for all.
pub struct ContextLines;

impl Kind for ContextLines {
    const TYPE: Type = Type::Integer;
    type Of<'a> = Option<u32>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Option<u32>> {
        match given.integer().unwrap_or_default() {
            -1 => Ok(None),
            lines if lines >= 0 => Ok(Some(u32::try_from(lines).unwrap_or(u32::MAX))),
            lines => Err(Error::invalid_args(format!("{} is {lines}", asked.name))
                .with_hint("Give 0 or more lines, or -1 for the whole file")),
        }
    }
}

impl Numeric for ContextLines {}

/// The same for a function that is total: every negative number means all lines.
pub struct TotalContextLines;

impl Kind for TotalContextLines {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = Option<u32>;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<Option<u32>> {
        let lines = given.integer().unwrap_or_default();
        Ok((lines >= 0).then(|| u32::try_from(lines).unwrap_or(u32::MAX)))
    }
}

impl Numeric for TotalContextLines {}

/// Unchanged lines around a change.
pub const CONTEXT: Param<ContextLines> = number(
    "context",
    DiffOptions::CONTEXT as i64,
    "Unchanged lines around a change, as git's -U; -1 for the whole file",
);

/// Unchanged lines around a change, for a function that is total.
pub const TOTAL_CONTEXT: Param<TotalContextLines> = number(
    "context",
    DiffOptions::CONTEXT as i64,
    "Unchanged lines around a change; a negative number is the whole text",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::{Constant, Value};

    #[test]
    fn a_number_below_minus_one_is_an_error_except_where_none_may_be_raised() {
        let read = |lines| {
            let value = Value::Integer(lines);
            let given = Some(Given::Value(&value));
            (CONTEXT.read(given, "f").ok(), TOTAL_CONTEXT.read(given, "f").unwrap())
        };
        assert_eq!(read(0), (Some(Some(0)), Some(0)));
        assert_eq!(read(-1), (Some(None), None));
        assert_eq!(read(-2), (None, None));
        assert_eq!(read(i64::MAX), (Some(Some(u32::MAX)), Some(u32::MAX)));
        assert_eq!(CONTEXT.field.default, Some(Constant::Integer(3)));
        assert_eq!(CONTEXT.read(None, "f").unwrap(), Some(3));
    }
}
