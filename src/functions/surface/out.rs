//! The place of a value of SQL, which knows its type and takes exactly one value.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::value::Text;
use crate::ffi::{Column, Type};

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
    pub(super) fn done(self) {
        let Self(()) = self;
    }
}

/// The place of one row's value.
pub struct Out<'c, T> {
    column: &'c mut Column,
    returned: PhantomData<T>,
}

impl<'c, T: Returned> Out<'c, T> {
    /// Returns the place of the next value of a column of this type.
    pub(super) fn new(column: &'c mut Column) -> Self {
        Self { column, returned: PhantomData }
    }

    /// Appends NULL.
    pub fn null(self) -> Written {
        self.written(Column::push_null)
    }

    /// Runs `write`, which appends one value.
    pub(super) fn written(self, write: impl FnOnce(&mut Column)) -> Written {
        write(self.column);
        Written(())
    }

    /// Appends a list, to which `fill` appends the elements.
    pub(super) fn list<E>(
        self,
        fill: impl FnOnce(&mut Column) -> Result<(), E>,
    ) -> Result<Written, E> {
        self.column.push_list(fill)?;
        Ok(Written(()))
    }
}

impl Out<'_, Varchar> {
    /// Appends a text or NULL.
    pub fn text<'a>(self, text: impl Into<Text<'a>>) -> Written {
        self.written(|column| text.into().write(column))
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
        let Ok(written) = self.list(|column| {
            texts.into_iter().for_each(|text| text.into().write(column));
            Ok::<(), Infallible>(())
        });
        written
    }
}
