//! The values that columns and scalar functions return.

use std::borrow::Cow;

use serde_json::Value;

use super::column::Column;

/// A VARCHAR: text, bytes shown as text (invalid UTF-8 becomes U+FFFD), or NULL.
#[derive(Debug)]
pub enum Text<'a> {
    /// NULL.
    Null,
    /// Text.
    Str(Cow<'a, str>),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
}

impl Text<'_> {
    /// Appends the value to a column of texts.
    pub(super) fn write(self, out: &mut Column) {
        match self {
            Self::Null => out.push_null(),
            Self::Str(text) => out.push_text(Some(&text)),
            Self::Bytes(bytes) => out.push_bytes(Some(&bytes)),
        }
    }

    /// Returns the value as JSON.
    pub(super) fn json(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Str(text) => text.into(),
            Self::Bytes(bytes) => String::from_utf8_lossy(&bytes).into(),
        }
    }
}

/// A BIGINT or NULL; a number that does not fit is NULL.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub(super) Option<i64>);

/// Declares the types that convert to a value.
macro_rules! conversions {
    ($($from:ty => $to:ty, |$value:ident| $converted:expr;)*) => {$(
        impl<'a> From<$from> for $to {
            fn from($value: $from) -> Self {
                $converted
            }
        }
    )*};
}

conversions! {
    &'a str => Text<'a>, |text| Text::Str(Cow::Borrowed(text));
    &'a String => Text<'a>, |text| Text::Str(Cow::Borrowed(text));
    String => Text<'a>, |text| Text::Str(Cow::Owned(text));
    Cow<'a, str> => Text<'a>, |text| Text::Str(text);
    &'a [u8] => Text<'a>, |bytes| Text::Bytes(Cow::Borrowed(bytes));
    &'a Vec<u8> => Text<'a>, |bytes| Text::Bytes(Cow::Borrowed(bytes));
    Vec<u8> => Text<'a>, |bytes| Text::Bytes(Cow::Owned(bytes));
    i64 => Number, |number| Number(Some(number));
    u32 => Number, |number| Number(Some(i64::from(number)));
    u64 => Number, |number| Number(i64::try_from(number).ok());
    usize => Number, |number| Number(i64::try_from(number).ok());
}

impl<'a, T: Into<Text<'a>>> From<Option<T>> for Text<'a> {
    fn from(text: Option<T>) -> Self {
        text.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Number>> From<Option<T>> for Number {
    fn from(number: Option<T>) -> Self {
        number.map_or(Self(None), Into::into)
    }
}
