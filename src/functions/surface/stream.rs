//! Handing over the rows of ordered parallel work, chunk by chunk.

use std::time::{Duration, Instant};

use super::columns::Row;
use super::table::Scan;
use crate::error::Result;
use crate::ffi::Batch;
use crate::limits;
use crate::pipeline::{Ordered, Poll, Weigh};

/// A result of one job that stands for some rows, or none.
pub trait RowGroup: Weigh + Send + 'static {
    /// The kind of row.
    type Row: Row;

    /// Drops rows that turned out not to be asked for; called once, before the first row is looked at.
    ///
    /// # Errors
    /// Those that were met in what is asked for.
    fn finalize(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns how many rows it stands for.
    fn rows(&self) -> usize;
    /// Returns a row by its 0-based place.
    fn row(&self, index: usize) -> <Self::Row as Row>::Of<'_>;
}

/// A scan over results.
pub struct Stream<G> {
    results: Ordered<G>,
    /// The result that is being handed over, and its next row.
    current: Option<(G, usize)>,
    projection: Vec<usize>,
    /// How long the next chunk waits for more rows once it has some.
    patience: Duration,
}

impl<G: RowGroup> Stream<G> {
    /// Returns a scan of the projected columns.
    pub fn new(results: Ordered<G>, projection: &[usize]) -> Self {
        Self {
            results,
            current: None,
            projection: projection.to_vec(),
            patience: Duration::from_millis(limits::CHUNK_MILLIS),
        }
    }

    /// Hands the first chunks over early: a query with a LIMIT wants no more.
    #[must_use]
    pub fn eager(self) -> Self {
        Self { patience: limits::FIRST_CHUNK_TIME, ..self }
    }

    /// Appends rows until the batch is full, its time is up or the work has ended.
    pub fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        let whole = Duration::from_millis(limits::CHUNK_MILLIS);
        let start = Instant::now();
        let patience = self.patience;
        self.patience = (2 * patience).min(whole);
        while !batch.is_full() {
            if let Some((group, row)) = &mut self.current
                && *row < group.rows()
            {
                G::Row::COLUMNS.write_projected(
                    group.row(*row),
                    &self.projection,
                    batch.columns_mut(),
                );
                *row += 1;
                continue;
            }
            // An empty chunk would end the scan, so the first row is waited for.
            let until =
                start + if batch.rows() < limits::FIRST_CHUNK_ROWS { whole } else { patience };
            match self.results.poll((batch.rows() > 0).then_some(until)) {
                Poll::Ready(group) => {
                    let mut group = group?;
                    group.finalize()?;
                    self.current = Some((group, 0));
                }
                Poll::Pending | Poll::End => break,
            }
        }
        Ok(())
    }
}

impl<G: RowGroup> Scan for Stream<G> {
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        Stream::fill(self, batch)
    }
}
