//! The kinds of parameters that functions of several families have.

use std::marker::PhantomData;

use super::param::{Asked, Given, Kind, Param, number, text};
use crate::ffi::Value;
use redline_base::error::{Error, Result, quoted};
use redline_git::Pathspec;
use redline_query::moment;
use redline_query::revisions::context_lines;
use redline_rows::Type;
use redline_text::DiffOptions;

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

/// Declares kinds of whole numbers within bounds, with the advice for other numbers.
macro_rules! bounded {
    ($($(#[$doc:meta])* $shown:vis $name:ident: $kind:ident as $number:ty, $bounds:expr, $advice:expr;)*) => {$(
        $(#[$doc])*
        $shown struct $name;

        impl $crate::functions::params::Kind for $name {
            const TYPE: redline_rows::Type = redline_rows::Type::$kind;
            type Of<'a> = $number;

            fn read(
                given: $crate::functions::params::Given<'_>,
                asked: $crate::functions::params::Asked<'_>,
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
pub(crate) use bounded;

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
            Some(Value::List(paths)) => paths.iter().map(parse).collect(),
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

/// Returns a parameter that is one of several words.
pub const fn choice<T: Choice>(name: &'static str, doc: &'static str) -> Param<OneOf<T>> {
    text(name, T::WORDS[0].0, doc)
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
    use crate::ffi::Value;
    use redline_rows::Constant;

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
