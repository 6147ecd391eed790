//! The arguments of one call, which are read by parameter.

use super::given::Given;
use super::param::{Kind, Param};
use crate::error::Result;
use crate::ffi::{Arguments, Field, Value};

/// The arguments of a call of a table function, or of one row of a scalar function.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'static str,
    source: Source<'a>,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    /// The parameters, positional ones and named ones, and their values.
    Values([(&'static [Field], &'a [Value]); 2]),
    Row(Arguments<'a>),
}

impl<'a> Args<'a> {
    /// Returns the arguments of a table function: each list of parameters with its values.
    pub fn of_table(
        function: &'static str,
        positional: (&'static [Field], &'a [Value]),
        named: (&'static [Field], &'a [Value]),
    ) -> Self {
        Self { function, source: Source::Values([positional, named]) }
    }

    /// Returns the arguments of a row.
    pub fn of_row(function: &'static str, row: Arguments<'a>) -> Self {
        Self { function, source: Source::Row(row) }
    }

    /// Returns what was given for a parameter, or its default: also where the function has no such parameter, so that
    /// parameters which several functions have are read by one function.
    ///
    /// # Errors
    /// `invalid_args` for a value that the parameter cannot have.
    pub fn get<K: Kind>(&self, param: Param<K>) -> Result<K::Of<'a>> {
        param.read(self.given(param.field.name), self.function)
    }

    /// Tells whether the form that was called has a parameter.
    pub fn has<K>(&self, param: Param<K>) -> bool {
        self.given(param.field.name).is_some()
    }

    /// Returns the name of the function that was called.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Returns the row itself, for tests of what DuckDB hands over.
    #[cfg(debug_assertions)]
    pub fn row(&self) -> Arguments<'a> {
        match self.source {
            Source::Row(row) => row,
            Source::Values(_) => panic!("{} is no scalar function", self.function),
        }
    }

    fn given(&self, name: &str) -> Option<Given<'a>> {
        match self.source {
            Source::Row(row) => row.place(name).map(|place| Given::Row(row, place)),
            Source::Values(lists) => lists.into_iter().find_map(|(fields, values)| {
                let place = fields.iter().position(|field| field.name == name)?;
                values.get(place).map(Given::Value)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::{BigInt, Name};
    use super::super::param::{Flag, Maybe, flag, number, optional, required};
    use super::*;

    const REV: Param<Name> = required("rev", "");
    const MAILMAP: Param<Flag> = flag("mailmap", true, "");
    const LIMIT: Param<Maybe<BigInt>> = optional("limit", "");
    const OTHER: Param<BigInt> = number("other", 7, "");

    fn args(values: &[Value; 3]) -> Args<'_> {
        const POSITIONAL: &[Field] = &[REV.field];
        const NAMED: &[Field] = &[MAILMAP.field, LIMIT.field];
        Args::of_table("f", (POSITIONAL, &values[..1]), (NAMED, &values[1..]))
    }

    #[test]
    fn what_was_given_is_read_by_name_and_what_was_not_has_its_default() {
        let given = [Value::Text("main".to_owned()), Value::Boolean(false), Value::Integer(5)];
        let args = args(&given);
        assert_eq!(args.get(REV).unwrap(), "main");
        assert!(!args.get(MAILMAP).unwrap());
        assert_eq!(args.get(LIMIT).unwrap(), Some(5));
        // The function has no such parameter.
        assert_eq!(args.get(OTHER).unwrap(), 7);
        assert!(args.has(LIMIT) && !args.has(OTHER));
    }

    #[test]
    fn null_is_the_default_or_an_error_that_names_the_argument() {
        let given = [Value::Null, Value::Null, Value::Null];
        let args = args(&given);
        let error = args.get(REV).unwrap_err().to_string();
        assert_eq!(error, "invalid_args: the argument 'rev' of f is NULL. Give a text.");
        assert!(args.get(MAILMAP).unwrap());
        assert_eq!(args.get(LIMIT).unwrap(), None);
    }

    #[test]
    fn a_name_has_no_nul() {
        let given = [Value::Text("a\0b".to_owned()), Value::Null, Value::Null];
        let error = args(&given).get(REV).unwrap_err().to_string();
        assert!(error.starts_with("invalid_args: the argument 'rev' contains a NUL"), "{error}");
    }
}
