//! Rows as a list, each with its number: the twins of table functions for arguments that are
//! columns.

use std::marker::PhantomData;

use crate::error::Result;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::surface::{Col, Has, ListOf, Out, Part, Row, Tabular, Written, bigint};
use crate::query::{Query, RowGroup};

/// A row of a list: its number, then the row of the table.
pub struct Numbered<T>(PhantomData<T>);

impl<T: Row> Row for Numbered<T> {
    type Of<'a> = (i64, T::Of<'a>);

    const OWN: &'static [Col<Self>] =
        &[bigint("seq", "The row's number, from 1", |(seq, _)| seq.into())];
    const PART: Option<Part<Self>> = Some(Part::of::<T>());
}

impl<T: Row> Has<T> for Numbered<T> {
    fn part<'a>(row: Self::Of<'a>) -> T::Of<'a> {
        row.1
    }
}

/// Appends all rows of a query as one list.
pub fn push_rows<Q: Query<Group: Tabular>>(
    query: &Q,
    execution: &ExecutionContext,
    out: Out<'_, ListOf<Numbered<<Q::Group as Tabular>::Row>>>,
) -> Result<Written> {
    let needs = <Q::Group as Tabular>::Row::COLUMNS.all_needs();
    let rows = query.start(execution, needs)?;
    out.rows(|elements| {
        let mut seq = 0;
        rows.each(|group| {
            for row in 0..group.rows() {
                seq += 1;
                elements.push((seq, group.row(row)));
            }
        })
    })
}
