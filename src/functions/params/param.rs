//! A parameter, declared once: its name, type, default and description, and how it is read; and the
//! arguments of a call.

use std::marker::PhantomData;

use crate::ffi::{Arguments, Value};
use redline_base::budget::owned;
use redline_base::error::{Error, Result};
use redline_rows::{Constant, Field, Type};

/// How the values of a parameter are read.
pub trait Kind: 'static {
    /// Their type in SQL.
    const TYPE: Type;
    /// The advice for NULL.
    const WANTED: &'static str = "Give a value";
    /// The type in Rust.
    type Of<'a>;

    /// Reads a value that is not NULL.
    ///
    /// # Errors
    /// `invalid_args` for a value that the parameter cannot have.
    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Self::Of<'a>>;

    /// Reads NULL.
    ///
    /// # Errors
    /// `invalid_args` unless the parameter may be NULL.
    fn read_null<'a>(asked: Asked<'_>) -> Result<Self::Of<'a>> {
        Err(asked.is_null(Self::WANTED))
    }
}

/// The parameter that is read, for messages.
#[derive(Clone, Copy)]
pub struct Asked<'n> {
    /// The parameter, or a part of its value.
    pub name: &'n str,
    /// The function that was called.
    pub function: &'n str,
}

impl Asked<'_> {
    /// Returns the error for NULL.
    pub fn is_null(self, hint: &str) -> Error {
        let Self { name, function } = self;
        Error::invalid_args(format!("the argument '{name}' of {function} is NULL")).with_hint(hint)
    }
}

/// A parameter that is read as a `K`.
pub struct Param<K> {
    /// Its declaration in SQL.
    pub field: Field,
    kind: PhantomData<fn() -> K>,
}

impl<K> Clone for Param<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Param<K> {}

impl<K: Kind> Param<K> {
    const fn new(name: &'static str, default: Option<Constant>, doc: &'static str) -> Self {
        let field = Field { default, ..Field::new(name, K::TYPE, doc) };
        Self { field, kind: PhantomData }
    }

    /// Reads the value, or the default.
    ///
    /// # Errors
    /// Those of [`Kind::read`] and [`Kind::read_null`].
    pub fn read<'a>(&self, given: Option<Given<'a>>, function: &str) -> Result<K::Of<'a>> {
        self.read_as(given, Asked { name: self.field.name, function })
    }

    /// Does the same for a part of an argument, which has its own name in messages.
    pub fn read_as<'a>(&self, given: Option<Given<'a>>, asked: Asked<'_>) -> Result<K::Of<'a>> {
        let given = given.filter(|given| !given.is_null());
        match given.or(self.field.default.map(Given::Default)) {
            Some(given) if !given.is_null() => K::read(given, asked),
            _ => K::read_null(asked),
        }
    }

    /// Reads a number in a tool's arguments, or the default.
    ///
    /// # Errors
    /// Those of [`Kind::read`].
    pub fn of_tool(&self, given: Option<i64>) -> Result<K::Of<'static>> {
        self.read(given.map(|number| Given::Default(Constant::Integer(number))), "the tool")
    }
}

/// Returns a required parameter.
pub const fn required<K: Kind>(name: &'static str, doc: &'static str) -> Param<K> {
    Param::new(name, None, doc)
}

/// Returns a parameter that may be left out or NULL.
pub const fn optional<K: Kind>(name: &'static str, doc: &'static str) -> Param<Maybe<K>> {
    Param::new(name, Some(Constant::Null), doc)
}

/// Returns a parameter with a number as its default, also for NULL.
pub const fn number<K: Kind>(name: &'static str, default: i64, doc: &'static str) -> Param<K> {
    assert!(matches!(K::TYPE, Type::UTinyInt | Type::Integer | Type::UInteger | Type::BigInt));
    Param::new(name, Some(Constant::Integer(default)), doc)
}

/// Returns a parameter with a text as its default, also for NULL.
pub const fn text<K: Kind>(
    name: &'static str,
    default: &'static str,
    doc: &'static str,
) -> Param<K> {
    assert!(matches!(K::TYPE, Type::Varchar));
    Param::new(name, Some(Constant::Text(default)), doc)
}

/// Returns a boolean parameter.
pub const fn flag(name: &'static str, default: bool, doc: &'static str) -> Param<Flag> {
    Param::new(name, Some(Constant::Boolean(default)), doc)
}

/// Values of `K`, or NULL.
pub struct Maybe<K>(PhantomData<K>);

impl<K: Kind> Kind for Maybe<K> {
    const TYPE: Type = K::TYPE;
    type Of<'a> = Option<K::Of<'a>>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Self::Of<'a>> {
        K::read(given, asked).map(Some)
    }

    fn read_null<'a>(_: Asked<'_>) -> Result<Self::Of<'a>> {
        Ok(None)
    }
}

/// True or false.
pub struct Flag;

impl Kind for Flag {
    const TYPE: Type = Type::Boolean;
    type Of<'a> = bool;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<bool> {
        Ok(given.truth().unwrap_or_default())
    }
}

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
            Self::Row(arguments, place) => {
                arguments.texts(place).map(Iterator::collect).unwrap_or_default()
            }
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

/// The arguments of a call of a table function, or of one row of a scalar function.
#[derive(Clone, Copy)]
pub struct Args<'a> {
    function: &'static str,
    row: Option<Arguments<'a>>,
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
    pub fn of_row(function: &'static str, row: Arguments<'a>) -> Self {
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

    /// Returns the value of a parameter, or its default: also if the function has no such
    /// parameter, so that one function can read parameters that several functions have.
    ///
    /// # Errors
    /// `invalid_args` for a value that the parameter cannot have.
    pub fn get<K: Kind>(&self, param: Param<K>) -> Result<K::Of<'a>> {
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
    pub fn row(&self) -> Arguments<'a> {
        self.row.unwrap_or_else(|| panic!("{} is not a scalar function", self.function))
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
    use super::super::kinds::{BigInt, Name};
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
    fn given_arguments_are_read_by_name_and_missing_ones_have_defaults() {
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
