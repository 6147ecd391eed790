//! A parameter, declared once: its name, type, default and description, and how it is read.

use std::marker::PhantomData;

use super::given::Given;
use crate::{Constant, Field, Type};
use redline_base::error::{Error, Result};

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
