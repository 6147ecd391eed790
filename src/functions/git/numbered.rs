//! Rows as a list, each with its number: the twins of table functions for arguments that are columns.

use std::marker::PhantomData;

use crate::error::Result;
use crate::ffi::{Column, Type};
use crate::functions::surface::{Col, Has, Part, Row, RowGroup, col};
use crate::pipeline::{Ordered, Poll};

/// A row of a list: its number, then the row of the table.
pub struct Numbered<T>(PhantomData<T>);

impl<T: Row> Row for Numbered<T> {
    type Of<'a> = (i64, T::Of<'a>);

    const OWN: &'static [Col<Self>] =
        &[col("seq", Type::BigInt, "The row's number, from 1", |(seq, _), out| {
            out.push_bigint(Some(seq));
        })];
    const PART: Option<Part<Self>> = Some(Part::of::<T>());
}

impl<T: Row> Has<T> for Numbered<T> {
    fn part<'a>(row: Self::Of<'a>) -> T::Of<'a> {
        row.1
    }
}

/// Appends all rows of a work as one list.
pub fn push_rows<G: RowGroup>(mut rows: Ordered<G>, out: &mut Column) -> Result<()> {
    out.push_list(|elements| {
        let mut seq = 0;
        while let Poll::Ready(group) = rows.poll(None) {
            let mut group = group?;
            group.finalize()?;
            for row in 0..group.rows() {
                seq += 1;
                Numbered::<G::Row>::COLUMNS.write_struct((seq, group.row(row)), elements);
            }
        }
        Ok(())
    })
}
