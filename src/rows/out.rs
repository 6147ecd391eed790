//! The place of a value of SQL, which knows its type and takes exactly one value.

use std::convert::Infallible;
use std::marker::PhantomData;

use serde_json::Value;

use super::column::Column;
use super::types::Type;
use super::value::Text;

/// The type of a column or of a scalar function's result.
pub trait Returned: 'static {
    /// Its type.
    const TYPE: Type;
}

/// VARCHAR.
pub struct Varchar;
/// JSON.
pub struct Json;
/// BLOB.
pub struct Blob;
/// BOOLEAN.
pub struct Boolean;
/// VARCHAR[].
pub struct Varchars;

impl Returned for Varchar {
    const TYPE: Type = Type::Varchar;
}

impl Returned for Json {
    const TYPE: Type = Type::Json;
}

impl Returned for Blob {
    const TYPE: Type = Type::Blob;
}

impl Returned for Boolean {
    const TYPE: Type = Type::Boolean;
}

impl Returned for Varchars {
    const TYPE: Type = Type::List(&Type::Varchar);
}

/// Proves that the value of a row was appended, once.
#[must_use]
pub struct Written(());

impl Written {
    /// Takes the proof.
    pub fn done(self) {
        let Self(()) = self;
    }
}

/// The place of one row's value.
pub struct Out<'c, T> {
    place: Place<'c>,
    returned: PhantomData<fn() -> T>,
}

/// A column of SQL, or a value of JSON.
enum Place<'c> {
    Column(&'c mut Column),
    Json(&'c mut Value),
}

impl<'c, T: Returned> Out<'c, T> {
    /// Returns the place of the next value of a column of this type.
    pub fn new(column: &'c mut Column) -> Self {
        Self { place: Place::Column(column), returned: PhantomData }
    }

    /// Returns the value that `write` writes, as JSON.
    pub(super) fn as_json(write: impl FnOnce(Out<'_, T>) -> Written) -> Value {
        let mut value = Value::Null;
        write(Out { place: Place::Json(&mut value), returned: PhantomData }).done();
        value
    }

    /// Appends NULL.
    pub fn null(self) -> Written {
        match self.place {
            Place::Column(column) => column.push_null(),
            Place::Json(value) => *value = Value::Null,
        }
        Written(())
    }

    /// Runs `write`, which appends one value.
    pub(super) fn written(self, write: impl FnOnce(&mut Column)) -> Written {
        write(self.column());
        Written(())
    }

    fn column(self) -> &'c mut Column {
        match self.place {
            Place::Column(column) => column,
            Place::Json(_) => {
                unreachable!("only texts, lists of them and plain values become JSON")
            }
        }
    }

    /// Appends a list, to which `fill` appends the elements.
    pub(super) fn list<E>(
        self,
        fill: impl FnOnce(&mut Column) -> Result<(), E>,
    ) -> Result<Written, E> {
        self.column().push_list(fill)?;
        Ok(Written(()))
    }
}

impl Out<'_, Varchar> {
    /// Appends a text or NULL.
    pub fn text<'a>(self, text: impl Into<Text<'a>>) -> Written {
        match self.place {
            Place::Column(column) => text.into().write(column),
            Place::Json(value) => *value = text.into().json(),
        }
        Written(())
    }
}

impl Out<'_, Json> {
    /// Appends a JSON text or NULL.
    pub fn json<'a>(self, text: impl Into<Text<'a>>) -> Written {
        self.written(|column| text.into().write(column))
    }
}

impl Out<'_, Blob> {
    /// Appends bytes or NULL.
    pub fn bytes(self, bytes: Option<&[u8]>) -> Written {
        self.written(|column| column.push_blob(bytes))
    }
}

impl Out<'_, Boolean> {
    /// Appends a boolean or NULL.
    pub fn truth(self, truth: impl Into<Option<bool>>) -> Written {
        self.written(|column| column.push_boolean(truth.into()))
    }
}

impl Out<'_, Varchars> {
    /// Appends a list of texts.
    pub fn texts<'a, T: Into<Text<'a>>>(self, texts: impl IntoIterator<Item = T>) -> Written {
        let texts = texts.into_iter().map(Into::into);
        if let Place::Json(value) = self.place {
            *value = texts.map(Text::json).collect();
            return Written(());
        }
        let Ok(written) = self.list(|column| {
            texts.for_each(|text| text.write(column));
            Ok::<(), Infallible>(())
        });
        written
    }
}
