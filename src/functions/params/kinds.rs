//! The kinds of parameters that functions of several families have.

use super::given::Given;
use super::param::{Asked, Kind, Numeric, Textual};
use crate::error::{Error, Result};
use crate::ffi::Type;

/// Text of any content.
pub struct Text;

impl Kind for Text {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = "Give a text; '' is an empty one";
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        std::str::from_utf8(given.text().unwrap_or_default()).map_err(|error| {
            Error::invalid_args(format!("the argument '{}' is not valid UTF-8", asked.name))
                .with_source(error)
        })
    }
}

impl Textual for Text {}

/// The name of something: a revision, a path, a repository.
pub struct Name;

impl Kind for Name {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = "Give a text";
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        if given.text().unwrap_or_default().contains(&0) {
            return Err(Error::invalid_args(format!(
                "the argument '{}' contains a NUL character",
                asked.name
            ))
            .with_hint("Revisions and paths contain no NUL"));
        }
        Text::read(given, asked)
    }
}

impl Textual for Name {}

/// The bytes of a text, for functions that compare or show any bytes.
pub struct Bytes;

impl Kind for Bytes {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = Text::WANTED;
    type Of<'a> = &'a [u8];

    fn read<'a>(given: Given<'a>, _: Asked<'_>) -> Result<&'a [u8]> {
        Ok(given.text().unwrap_or_default())
    }
}

impl Textual for Bytes {}

/// A whole number.
pub struct BigInt;

impl Kind for BigInt {
    const TYPE: Type = Type::BigInt;
    const WANTED: &'static str = "Give a whole number";
    type Of<'a> = i64;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<i64> {
        Ok(given.integer().unwrap_or_default())
    }
}

impl Numeric for BigInt {}
