//! The kinds of parameters of any function.

use std::marker::PhantomData;

use super::given::Given;
use super::param::{Asked, Kind, Param, text};
use super::value::Value;
use crate::Type;
use redline_base::error::{Error, Result, quoted};

/// Text of any content.
pub struct Text;

impl Kind for Text {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = "Give a text; '' is an empty one";
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        text_of(given.text().unwrap_or_default(), asked)
    }
}

/// The name of something: a revision, a path, a repository.
pub struct Name;

impl Kind for Name {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = "Give a text";
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        name(given.text().unwrap_or_default(), asked)
    }
}

/// The names of some things, none of which may be NULL; an argument of a scalar function.
pub struct Names;

impl Kind for Names {
    const TYPE: Type = Type::List(&Type::Varchar);
    const WANTED: &'static str = "Give a list of texts";
    type Of<'a> = Vec<&'a str>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Vec<&'a str>> {
        let read = |text: Option<&'a [u8]>| match text {
            Some(text) => name(text, asked),
            None => Err(asked.is_null("Leave out the NULL in the list")),
        };
        given.texts().into_iter().map(read).collect()
    }
}

fn name<'a>(given: &'a [u8], asked: Asked<'_>) -> Result<&'a str> {
    if given.contains(&0) {
        return Err(Error::invalid_args(format!(
            "the argument '{}' contains a NUL character",
            asked.name
        ))
        .with_hint("Revisions and paths contain no NUL"));
    }
    text_of(given, asked)
}

fn text_of<'a>(given: &'a [u8], asked: Asked<'_>) -> Result<&'a str> {
    std::str::from_utf8(given).map_err(|error| {
        Error::invalid_args(format!("the argument '{}' is not valid UTF-8", asked.name))
            .with_source(error)
    })
}

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
        Ok(given.text().unwrap_or_default())
    }
}

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

/// The meanings of a choice of words.
pub trait Choice: 'static {
    /// What a word means.
    type Of: Copy + 'static;
    /// The words, also accepted in upper case; the first is the default.
    const WORDS: &'static [(&'static str, Self::Of)];
}

/// One of several words.
pub struct OneOf<T>(PhantomData<T>);

impl<T: Choice> Kind for OneOf<T> {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = T::Of;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<T::Of> {
        let given = Text::read(given, asked)?;
        let found = T::WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(given));
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
            Error::invalid_args(format!("{} is {}", asked.name, quoted(given)))
                .with_hint(format!("Give {}", words.join(", ")))
        })
    }
}

/// Returns a parameter that is one of several words.
pub const fn choice<T: Choice>(name: &'static str, doc: &'static str) -> Param<OneOf<T>> {
    text(name, T::WORDS[0].0, doc)
}

/// Declares kinds of whole numbers within bounds, with the advice for other numbers.
#[macro_export]
macro_rules! bounded {
    ($($(#[$doc:meta])* $shown:vis $name:ident: $kind:ident as $number:ty, $bounds:expr, $advice:expr;)*) => {$(
        $(#[$doc])*
        $shown struct $name;

        impl $crate::params::Kind for $name {
            const TYPE: $crate::Type = $crate::Type::$kind;
            type Of<'a> = $number;

            fn read(
                given: $crate::params::Given<'_>,
                asked: $crate::params::Asked<'_>,
            ) -> redline_base::error::Result<$number> {
                let number = given.integer().unwrap_or_default();
                let found = <$number>::try_from(number).ok();
                found.filter(|_| ($bounds).contains(&number)).ok_or_else(|| {
                    let message = format!("{} is {number}", asked.name);
                    redline_base::error::Error::invalid_args(message).with_hint($advice)
                })
            }
        }
    )*};
}
