//! The kinds of parameters of questions to repositories.

use crate::machinery::revisions::context_lines;
use crate::moment;
use redline_base::budget::TryGather;
use redline_base::error::{Error, Result};
use redline_git::Pathspec;
use redline_rows::params::{Asked, Given, Kind, Param, Value, number};
use redline_rows::{Type, bounded};
use redline_text::DiffOptions;

bounded! {
    /// A number of lines.
    pub Lines: Integer as u32, 0.., "Give 0 or more lines";
    /// A number of files.
    pub Files: UInteger as u32, 0.., "Give 0 or more files";
    /// A percentage.
    pub Percent: UTinyInt as u8, 0..=100, "Give 0 to 100 percent";
}

/// A pathspec, or a list of them.
pub struct Pathspecs;

impl Kind for Pathspecs {
    const TYPE: Type = Type::TextOrTexts;
    type Of<'a> = Vec<Pathspec>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<Pathspec>> {
        let refused = |what: &str| {
            Error::invalid_args(format!("{} {what}", asked.name))
                .with_hint("Give a pathspec, or a list of pathspecs, each a text")
        };
        let parse = |path: &Value| match path {
            Value::Text(path) => Pathspec::parse(path),
            Value::Null => Err(refused("contains a NULL")),
            _ => Err(refused("contains a value that is not VARCHAR")),
        };
        match given.value() {
            Some(Value::List(paths)) => paths.iter().map(parse).try_gather(),
            Some(path @ Value::Text(_)) => Ok(vec![parse(path)?]),
            _ => Err(refused("is neither VARCHAR nor a list of VARCHAR")),
        }
    }
}

/// A time, in microseconds since 1970.
pub struct Moment;

impl Kind for Moment {
    const TYPE: Type = Type::Moment;
    const WANTED: &'static str = "Give a moment";
    type Of<'a> = i64;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<i64> {
        match given.value() {
            // A text that DuckDB does not parse may be a date that git accepts.
            Some(Value::Text(text)) => moment(asked.name, text),
            value => Ok(value.and_then(Value::as_timestamp).unwrap_or_default()),
        }
    }
}

/// Unchanged lines around a change; `None` for all, which is -1 in every function. A number below
/// -1 is an error, except in functions that are total: DuckDB may call those on values that are in
/// no row, so they read every negative number as all lines.
pub struct ContextLines;

impl Kind for ContextLines {
    const TYPE: Type = Type::Integer;
    type Of<'a> = Option<u32>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Option<u32>> {
        context_lines(asked.name, given.integer())
    }
}

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
    use redline_rows::Constant;
    use redline_rows::params::Value;

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
