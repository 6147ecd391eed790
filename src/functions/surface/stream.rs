//! Returns the rows of a query, chunk by chunk.

use std::time::{Duration, Instant};

use super::columns::Row;
use super::declaration::Declared;
use super::table::Scan;
use crate::error::Result;
use crate::ffi::{Batch, Open};
use crate::functions::context::execution_context::ExecutionContext;
use crate::limits;
use crate::pipeline::{Ordered, Poll};
use crate::query::{Query, RowGroup, Rows};

/// Rows of a query as SQL shows them.
pub trait Tabular: RowGroup {
    /// The columns of a row.
    type Row: for<'a> Row<Of<'a> = <Self as RowGroup>::Of<'a>>;
}

/// A scan over the rows of a query.
pub struct Stream<G> {
    rows: Rows<G>,
    /// The current group and the index of its next row.
    current: Option<(G, usize)>,
    projection: Vec<usize>,
    /// How long a chunk with some rows waits for more.
    patience: Duration,
}

impl<G: Tabular> Stream<G> {
    /// Starts a query for the function `F` and the projected columns.
    pub fn open<F: Declared>(query: &impl Query<Group = G>, open: Open<'_>) -> Result<Self> {
        let execution = ExecutionContext::open::<F>(open.settings)?;
        let rows = query.start(&execution, G::Row::COLUMNS.needs(open.projection))?;
        Ok(Self {
            rows,
            current: None,
            projection: open.projection.to_vec(),
            patience: Duration::from_millis(limits::CHUNK_MILLIS),
        })
    }

    /// Returns the first chunks early: a query with a LIMIT needs no more.
    #[must_use]
    pub fn eager(self) -> Self {
        Self { patience: limits::FIRST_CHUNK_TIME, ..self }
    }
}

fn write<G: Tabular>(group: &G, row: usize, projection: &[usize], batch: &mut Batch) {
    G::Row::COLUMNS.write_projected(group.row(row), projection, batch.columns_mut());
}

fn fill_from_workers<G: Tabular>(
    work: &mut Ordered<G>,
    current: &mut Option<(G, usize)>,
    projection: &[usize],
    patience: Duration,
    batch: &mut Batch,
) -> Result<()> {
    let whole = Duration::from_millis(limits::CHUNK_MILLIS);
    let start = Instant::now();
    while !batch.is_full() {
        if let Some((group, row)) = current
            && *row < group.rows()
        {
            write(group, *row, projection, batch);
            *row += 1;
            continue;
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

impl<G: Tabular> Scan for Stream<G> {
    /// Appends rows until the batch is full, its time is up or the work has ended.
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        let patience = self.patience;
        self.patience = (2 * patience).min(Duration::from_millis(limits::CHUNK_MILLIS));
        let (current, projection) = (&mut self.current, &self.projection);
        match &mut self.rows {
            Rows::Workers(work) => fill_from_workers(work, current, projection, patience, batch),
            Rows::Walk(walk) => walk.each(|group| {
                for row in 0..group.rows() {
                    write(&group, row, projection, batch);
                }
                !batch.is_full()
            }),
        }
    }
}
