//! The kinds of parameters that functions of several families have.

use std::marker::PhantomData;

use super::given::Given;
use super::param::{Asked, Kind, Numeric, Param, Textual, text};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Type, Value};
use crate::git::date_of;

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

/// Texts of any content, none of which may be NULL.
pub struct Texts;

impl Kind for Texts {
    const TYPE: Type = Type::List(&Type::Varchar);
    type Of<'a> = Vec<String>;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<Vec<String>> {
        let Some(Value::List(texts)) = given.value() else { return Ok(Vec::new()) };
        Ok(texts.iter().filter_map(Value::as_text).map(str::to_owned).collect())
    }
}

/// The bytes of a text, for functions that compare or show any bytes.
pub struct Bytes;

impl Kind for Bytes {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = Text::WANTED;
    type Of<'a> = &'a [u8];

    fn read<'a>(given: Given<'a>, _: Asked<'_>) -> Result<&'a [u8]> {
        Ok(given.bytes().unwrap_or_default())
    }
}

impl Textual for Bytes {}

/// The bytes of a BLOB.
pub struct Blob;

impl Kind for Blob {
    const TYPE: Type = Type::Blob;
    type Of<'a> = &'a [u8];

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a [u8]> {
        Bytes::read(given, asked)
    }
}

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

/// Returns the time of a text as git reads it, in microseconds since 1970.
///
/// # Errors
/// `invalid_args` for a text without a date.
pub fn moment(name: &str, text: &str) -> Result<i64> {
    let seconds = date_of(text).and_then(|seconds| seconds.checked_mul(1_000_000));
    seconds.ok_or_else(|| {
        Error::invalid_args(format!("{name} is {}", quoted(text)))
            .with_hint("Give a date, such as 2026-01-31 or '2 weeks ago'")
    })
}

/// The meanings of a choice of words.
pub trait Choice: Copy + 'static {
    /// The words, also accepted in upper case; the first is the default.
    const WORDS: &'static [(&'static str, Self)];
}

/// One of several words.
pub struct OneOf<T>(PhantomData<T>);

impl<T: Choice> Kind for OneOf<T> {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = T;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<T> {
        let given = Text::read(given, asked)?;
        let found = T::WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(given));
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            Error::invalid_args(format!("{} is {}", asked.name, quoted(given)))
                .with_hint(format!("Give {}", words.join(", ")))
        })
    }
}

impl<T: Choice> Textual for OneOf<T> {}

/// Returns a parameter that is one of several words.
pub const fn choice<T: Choice>(name: &'static str, doc: &'static str) -> Param<OneOf<T>> {
    text(name, T::WORDS[0].0, doc)
}
