//! Rows and results as values: of scalar functions, and in columns.

use std::convert::Infallible;
use std::marker::PhantomData;

use super::column::Column;
use super::columns::{Col, Has, Row, Write};
use super::out::{Out, Returned, Written};
use super::types::Type;

/// The columns of a row as a STRUCT.
pub struct StructOf<K>(PhantomData<K>);
/// Rows as a LIST of STRUCT.
pub struct ListOf<K>(PhantomData<K>);

impl<K: Row> Returned for StructOf<K> {
    const TYPE: Type = K::STRUCT;
}

impl<K: Row> Returned for ListOf<K> {
    const TYPE: Type = K::LIST;
}

impl<K: Row> Out<'_, StructOf<K>> {
    /// Appends a row.
    pub fn row(self, row: K::Of<'_>) -> Written {
        self.written(|column| K::COLUMNS.write_struct(row, column))
    }
}

impl<K: Row> Out<'_, ListOf<K>> {
    /// Appends a list of rows.
    pub fn all<'a>(self, rows: impl IntoIterator<Item = K::Of<'a>>) -> Written {
        let Ok(written) = self.rows(|elements| {
            rows.into_iter().for_each(|row| elements.push(row));
            Ok::<(), Infallible>(())
        });
        written
    }

    /// Appends a list, to which `fill` appends the rows.
    pub fn rows<E>(
        self,
        fill: impl FnOnce(&mut Elements<'_, K>) -> Result<(), E>,
    ) -> Result<Written, E> {
        self.list(|column| fill(&mut Elements(column, PhantomData)))
    }
}

/// The elements of a list of rows.
pub struct Elements<'c, K>(&'c mut Column, PhantomData<K>);

impl<K: Row> Elements<'_, K> {
    /// Appends a row.
    pub fn push(&mut self, row: K::Of<'_>) {
        K::COLUMNS.write_struct(row, self.0);
    }
}

/// A row that has rows of another kind.
pub trait HasList<J: Row>: Row {
    /// Appends the rows, or NULL.
    fn list(row: Self::Of<'_>, out: Out<'_, ListOf<J>>) -> Written;
}

/// A row that may have one row of another kind.
pub trait HasOne<J: Row>: Row {
    /// Appends the row, or NULL.
    fn one(row: Self::Of<'_>, out: Out<'_, StructOf<J>>) -> Written;
}

/// Returns a column of STRUCT: the row `J` of the row, if it has one.
pub const fn optional_structure<K: HasOne<J>, J: Row>(
    name: &'static str,
    doc: &'static str,
) -> Col<K> {
    let write = Write::Nested(|row, out| K::one(row, Out::new(out)).done());
    Col::new(name, J::STRUCT, doc, write)
}

/// Returns a column of STRUCT: the part of the row that is a `J`.
pub const fn structure<K: Has<J>, J: Row>(name: &'static str, doc: &'static str) -> Col<K> {
    let write = Write::Nested(|row, out| J::COLUMNS.write_struct(K::part(row), out));
    Col::new(name, J::STRUCT, doc, write)
}

/// Returns a column of STRUCT[]: the rows `J` of the row.
pub const fn structures<K: HasList<J>, J: Row>(name: &'static str, doc: &'static str) -> Col<K> {
    let write = Write::Nested(|row, out| K::list(row, Out::new(out)).done());
    Col::new(name, J::LIST, doc, write)
}
