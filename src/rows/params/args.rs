//! The arguments of a call.

use super::given::{Given, RowArguments};
use super::param::{Kind, Param};
use super::value::Value;
use crate::Field;
use redline_base::budget::owned;
use redline_base::error::Result;

/// The arguments of a call of a table function, or of one row of a scalar function.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'static str,
    row: Option<&'a dyn RowArguments>,
    values: [Values<'a>; 2],
}

/// Some parameters and their values.
pub type Values<'a> = (&'static [Field], &'a [Value]);

impl<'a> Args<'a> {
    /// Returns the arguments of a table function.
    pub fn of_table(function: &'static str, positional: Values<'a>, named: Values<'a>) -> Self {
        Self { function, row: None, values: [positional, named] }
    }

    /// Returns the arguments of a row.
    pub fn of_row(function: &'static str, row: &'a dyn RowArguments) -> Self {
        Self { function, row: Some(row), values: [(&[], &[]); 2] }
    }

    /// Returns the same with options, and with values in place of arguments of the row that are
    /// NULL.
    #[must_use]
    pub fn with<'b>(self, options: Values<'b>, of_nulls: Values<'b>) -> Args<'b>
    where
        'a: 'b,
    {
        Args { values: [options, of_nulls], ..self }
    }

    /// Returns the value of a parameter, or its default.
    ///
    /// # Errors
    /// `invalid_args` for a value that the parameter cannot have.
    ///
    /// # Panics
    /// In debug builds for a parameter that a table function does not declare.
    pub fn get<K: Kind>(&self, param: Param<K>) -> Result<K::Of<'a>> {
        debug_assert!(
            self.row.is_some() || self.is_declared(param.field.name),
            "the parameter {} is not declared by {}",
            param.field.name,
            self.function
        );
        self.get_if_declared(param)
    }

    /// Returns the same, and the default if the function has no such parameter, where one function
    /// reads the parameters of several.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn get_if_declared<K: Kind>(&self, param: Param<K>) -> Result<K::Of<'a>> {
        param.read(self.given(param.field.name), self.function)
    }

    /// Returns a copy of a text.
    ///
    /// # Errors
    /// As [`Self::get`], and `too_large` without memory for the copy.
    pub fn owned<K>(&self, param: Param<K>) -> Result<String>
    where
        K: for<'t> Kind<Of<'t> = &'t str>,
    {
        Ok(owned(self.get(param)?)?)
    }

    /// Tells whether the called overload has a parameter.
    pub fn has<K>(&self, param: Param<K>) -> bool {
        self.given(param.field.name).is_some()
    }

    /// Returns the name of the function that was called.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Tells whether an argument is NULL or missing.
    pub fn is_null(&self, name: &str) -> bool {
        self.given(name).is_none_or(Given::is_null)
    }

    /// Returns the options of a row: NULL, or a struct if they are of the right type.
    pub fn options(&self) -> Value {
        self.row.map_or(Value::Null, |row| row.options())
    }

    /// Returns the row itself, for tests of the values that DuckDB passes.
    #[cfg(debug_assertions)]
    pub fn row(&self) -> &'a dyn RowArguments {
        self.row.unwrap_or_else(|| panic!("{} is not a scalar function", self.function))
    }

    fn is_declared(&self, name: &str) -> bool {
        self.values.iter().any(|(fields, _)| fields.iter().any(|field| field.name == name))
    }

    fn given(&self, name: &str) -> Option<Given<'a>> {
        let value = |(fields, values): Values<'a>| {
            let place = fields.iter().position(|field| field.name == name)?;
            values.get(place).map(Given::Value)
        };
        let in_row = self.row.and_then(|row| Some(Given::Row(row, row.place(name)?)));
        match in_row {
            Some(given) if !given.is_null() => in_row,
            _ => self.values.into_iter().find_map(value).or(in_row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{BigInt, Flag, Maybe, Name, flag, number, optional, required};

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
    fn given_arguments_are_read_by_name_and_missing_ones_have_defaults() {
        let given = [Value::Text("main".to_owned()), Value::Boolean(false), Value::Integer(5)];
        let args = args(&given);
        assert_eq!(args.get(REV).unwrap(), "main");
        assert!(!args.get(MAILMAP).unwrap());
        assert_eq!(args.get(LIMIT).unwrap(), Some(5));
        // The function has no such parameter.
        assert_eq!(args.get_if_declared(OTHER).unwrap(), 7);
        assert!(args.has(LIMIT) && !args.has(OTHER));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic = "the parameter other is not declared by f"]
    fn a_parameter_that_is_read_is_declared() {
        let given = [Value::Text("main".to_owned()), Value::Null, Value::Null];
        let _ = args(&given).get(OTHER);
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
