//! Table functions: the trait that declares one, the adapter to DuckDB, and the scan that returns
//! the rows of a query, chunk by chunk.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

use super::entry::{FunctionEntry, Signature};
use crate::ffi::{Open, Scan, TableFunction};
use crate::functions::context::database;
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::Args;
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Ordered, Poll};
use redline_query::{Query, Question, RowGroup, Rows};
use redline_rows::params::Value;
use redline_rows::{Batch, Declaration, Field, Row};

/// A table function: `bind` validates, `open` resolves, the scan streams rows, and dropping the
/// scan stops it.
pub trait Table: 'static {
    /// The declaration.
    const DECLARATION: Declaration;
    /// Positional parameters, all required.
    const PARAMETERS: &'static [Field] = &[];
    /// Named parameters, all optional.
    const NAMED: &'static [Field] = &[];
    /// The kind of its rows, whose columns are those of the table.
    type Row: Row;
    /// Names of the host's settings that [`Self::open`] reads.
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    /// Whether a scan may take so long that it matters which of DuckDB's threads waits for it.
    const IS_LONG: bool = false;
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

/// A question to a repository.
impl<F: Question> Table for F {
    const DECLARATION: Declaration = F::DECLARATION;
    const PARAMETERS: &'static [Field] = F::PARAMETERS;
    const NAMED: &'static [Field] = F::NAMED;
    type Row = <F::Query as Query>::Row;
    const IS_LONG: bool = true;
    type Bind = F::Query;
    type Scan = Stream<F::Query>;

    fn bind(args: Args<'_>) -> Result<F::Query> {
        F::query(args)
    }

    fn open(query: &F::Query, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open(query, open, F::IS_EAGER)
    }
}

/// The function as DuckDB calls it.
struct Adapter<F>(PhantomData<F>);

impl<F: Table> TableFunction for Adapter<F> {
    const NAME: &'static str = F::DECLARATION.name;
    const PARAMETERS: &'static [Field] = F::PARAMETERS;
    const NAMED: &'static [Field] = F::NAMED;
    const COLUMNS: &'static [Field] = F::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = F::SETTINGS;
    const IS_LONG: bool = F::IS_LONG;
    type Bind = F::Bind;
    type Scan = F::Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<F::Bind> {
        F::bind(Args::of_table(Self::NAME, (F::PARAMETERS, arguments), (F::NAMED, named)))
    }

    fn open(bind: &F::Bind, open: Open<'_>) -> Result<F::Scan> {
        database::require_function(&F::DECLARATION, &open.settings)?;
        F::open(bind, open)
    }
}

/// Returns the entry of a table function.
pub const fn table<F: Table>() -> FunctionEntry {
    FunctionEntry {
        signature: Signature::Table {
            parameters: F::PARAMETERS,
            named: F::NAMED,
            columns: F::Row::FIELDS,
        },
        declaration: F::DECLARATION,
        register: |registrar| registrar.table::<Adapter<F>>(),
    }
}

/// A scan over the rows of a query.
pub struct Stream<Q: Query> {
    rows: Rows<Q::Group>,
    /// The current group and the index of its next row.
    current: Current<Q>,
    /// How long a chunk with some rows waits for more.
    patience: Duration,
}

type Current<Q> = Option<(<Q as Query>::Group, usize)>;

impl<Q: Query> Stream<Q> {
    /// Starts a query for the projected columns; an eager one returns its first chunks early.
    pub fn open(query: &Q, open: Open<'_>, is_eager: bool) -> Result<Self> {
        let execution = ExecutionContext::new(open.settings)?;
        let rows =
            query.start(&execution.caller.context, Q::Row::COLUMNS.needs(open.projection))?;
        let whole = Duration::from_millis(limits::CHUNK_MILLIS);
        let patience = if is_eager { limits::FIRST_CHUNK_TIME } else { whole };
        Ok(Self { rows, current: None, patience })
    }
}

fn write<Q: Query>(group: &Q::Group, row: usize, batch: &mut Batch) {
    Q::Row::COLUMNS.write_projected(group.row(row), batch);
}

/// Writes the remaining rows of the current group, as far as the batch has room.
fn write_rest<Q: Query>(current: &mut Current<Q>, batch: &mut Batch) {
    let Some((group, row)) = current else { return };
    while *row < group.rows() && !batch.is_full() {
        write::<Q>(group, *row, batch);
        *row += 1;
    }
}

fn fill_from_workers<Q: Query>(
    work: &mut Ordered<Q::Group>,
    current: &mut Current<Q>,
    patience: Duration,
    batch: &mut Batch,
) -> Result<()> {
    let whole = Duration::from_millis(limits::CHUNK_MILLIS);
    let start = Instant::now();
    while !batch.is_full() {
        write_rest::<Q>(current, batch);
        if batch.is_full() {
            break;
        }
        // An empty chunk would end the scan, so it waits for the first row.
        let until = start + if batch.rows() < limits::FIRST_CHUNK_ROWS { whole } else { patience };
        match work.poll((batch.rows() > 0).then_some(until)) {
            Poll::Ready(group) => {
                let mut group = group?;
                group.finalize()?;
                *current = Some((group, 0));
            }
            Poll::Pending | Poll::End => break,
        }
    }
    Ok(())
}

impl<Q: Query> Scan for Stream<Q> {
    /// Appends rows until the batch is full, its time is up or the work has ended.
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        let patience = self.patience;
        self.patience = (2 * patience).min(Duration::from_millis(limits::CHUNK_MILLIS));
        match &mut self.rows {
            Rows::Workers(work) => fill_from_workers::<Q>(work, &mut self.current, patience, batch),
            Rows::Walk(walk) => walk.each(|group| {
                for row in 0..group.rows() {
                    write::<Q>(&group, row, batch);
                }
                !batch.is_full()
            }),
            Rows::Once(group) => {
                if let Some(group) = group.take() {
                    self.current = Some((group, 0));
                }
                write_rest::<Q>(&mut self.current, batch);
                Ok(())
            }
        }
    }
}
