//! Table functions whose rows are those of a query over a repository, with their twins that return
//! lists.

use super::listed::{Listed, Numbered};
use crate::error::Result;
use crate::ffi::{Field, Open};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::Args;
use crate::functions::surface::{Declared, ListOf, Out, Row, Stream, Table, Tabular, Written};
use crate::query::{Query, RowGroup};

/// A table function over a repository: its parameters make a query, and its rows are those of the
/// query.
pub trait RepositoryTable: Declared {
    /// Positional parameters, all required.
    const PARAMETERS: &'static [Field];
    /// Named parameters, all optional.
    const NAMED: &'static [Field] = &[];
    /// Whether the first rows are returned early: a query with a LIMIT needs no more.
    const IS_EAGER: bool = false;
    /// An example of the twin.
    const LIST_EXAMPLE: &'static str;
    /// The query.
    type Query: Query<Group: Tabular>;

    /// Validates the arguments; does no I/O.
    ///
    /// # Errors
    /// `invalid_args`.
    fn query(args: Args<'_>) -> Result<Self::Query>;
}

type GroupOf<F> = <<F as RepositoryTable>::Query as Query>::Group;

impl<F: RepositoryTable> Table for F {
    const PARAMETERS: &'static [Field] = F::PARAMETERS;
    const NAMED: &'static [Field] = F::NAMED;
    type Row = <GroupOf<F> as Tabular>::Row;
    const IS_LONG: bool = true;
    type Bind = F::Query;
    type Scan = Stream<GroupOf<F>>;

    fn bind(args: Args<'_>) -> Result<F::Query> {
        F::query(args)
    }

    fn open(query: &F::Query, open: Open<'_>) -> Result<Self::Scan> {
        let stream = Stream::open::<F>(query, open)?;
        Ok(if F::IS_EAGER { stream.eager() } else { stream })
    }
}

impl<F: RepositoryTable> Listed for F {
    const LIST_EXAMPLE: &'static str = F::LIST_EXAMPLE;
    type Element = Numbered<<GroupOf<F> as Tabular>::Row>;

    fn list(
        query: &F::Query,
        execution: &ExecutionContext,
        out: Out<'_, ListOf<Self::Element>>,
    ) -> Result<Written> {
        let needs = <Self as Table>::Row::COLUMNS.all_needs();
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
}
