//! Table functions: the trait that declares one, and the adapter to DuckDB.

use std::marker::PhantomData;

use super::columns::Row;
use super::declaration::Declared;
use super::entry::{Entry, Signature};
use crate::error::Result;
use crate::ffi::{Batch, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context;
use crate::functions::params::args::Args;

/// A running scan.
pub trait Scan: Send + 'static {
    /// Appends rows until the batch is full or the scan ends; no row means the end.
    ///
    /// # Errors
    /// Those of the rows.
    fn fill(&mut self, batch: &mut Batch) -> Result<()>;
}

/// A table function: `bind` validates, `open` resolves, the scan streams rows, and dropping the
/// scan stops it.
pub trait Table: Declared {
    /// Positional parameters, all required.
    const PARAMETERS: &'static [Field] = &[];
    /// Named parameters, all optional.
    const NAMED: &'static [Field] = &[];
    /// The kind of its rows, whose columns are those of the table.
    type Row: Row;
    /// Names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    /// Validated arguments; shared by every execution of a prepared statement.
    type Bind: Send + Sync + 'static;
    /// A running scan; it may move between threads.
    type Scan: Scan;

    /// Validates the arguments; does no I/O.
    ///
    /// # Errors
    /// `invalid_args`.
    fn bind(args: Args<'_>) -> Result<Self::Bind>;

    /// Resolves everything that can change between executions and starts the work.
    ///
    /// # Errors
    /// Those of the function.
    fn open(bind: &Self::Bind, open: Open<'_>) -> Result<Self::Scan>;
}

/// The function as DuckDB calls it.
pub struct Adapter<F>(PhantomData<F>);

impl<F: Table> TableFunction for Adapter<F> {
    const NAME: &'static str = F::DECLARATION.name;
    const PARAMETERS: &'static [Field] = F::PARAMETERS;
    const NAMED: &'static [Field] = F::NAMED;
    const COLUMNS: &'static [Field] = F::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = F::SETTINGS;
    type Bind = F::Bind;
    type Scan = F::Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<F::Bind> {
        F::bind(Args::of_table(Self::NAME, (F::PARAMETERS, arguments), (F::NAMED, named)))
    }

    fn open(bind: &F::Bind, open: Open<'_>) -> Result<F::Scan> {
        F::open(bind, open)
    }

    fn fill(scan: &mut F::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Returns the entry of a table function.
pub const fn table<F: Table>() -> Entry {
    Entry {
        signature: Signature::Table {
            parameters: F::PARAMETERS,
            named: F::NAMED,
            columns: F::Row::FIELDS,
        },
        declaration: F::DECLARATION,
        register: |registrar| registrar.table::<Adapter<F>>(),
    }
}
