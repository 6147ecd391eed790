//! The rows of one chunk of a scalar function. DuckDB uses one thread for each 122,880 rows of a
//! table, so that with fewer rows the other cores are idle; slow rows are shared with our threads.
//!
//! Order and errors are those of one thread: blocks of rows are taken in order, each has its own
//! results, and the first row with an error determines the call's error.
//!
//! The rows of a chunk are computed one after the other at first. If they are not done after half
//! a millisecond, the rest is shared with as many threads of ours as DuckDB's `threads` leaves
//! idle: all threads of the process that compute rows are counted (`RowThread`), and ours end
//! when DuckDB needs the cores. A function takes part by saying what state a helper needs
//! (`State::helper`). A list function that starts a pipeline for a row has it use an
//! equal part of the threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::contain;
use super::input::Input;
use super::scalar::{Arguments, Nulls, ScalarFunction, State};
use redline_base::budget::{Current, RowThread, Stopped, check_current};
use redline_base::error::Result;
use redline_base::limits;
use redline_rows::{Column, Field};

/// The data that one of DuckDB's threads keeps between the chunks of an execution.
pub(super) struct Execution<F: ScalarFunction> {
    state: F::State,
    /// The states of helping threads, kept because creating one may take longer than a row.
    helpers: Vec<F::State>,
    threads: usize,
}

impl<F: ScalarFunction> Execution<F> {
    /// Begins an execution with `threads` threads.
    pub fn new(state: F::State, threads: usize) -> Self {
        Self { state, helpers: Vec::new(), threads }
    }

    /// Appends the values of `rows` rows.
    pub fn compute(
        &mut self,
        inputs: &[(Field, Input)],
        rows: usize,
        out: &mut Column,
    ) -> Result<()> {
        let _counted = RowThread::enter();
        let _current = self.state.budget().map(Current::enter);
        let (started, patience) =
            (Instant::now(), Duration::from_micros(limits::ROWS_SHARED_AFTER_MICROS));
        let mut first_done = started;
        for row in 0..rows {
            if row == 1 {
                first_done = Instant::now();
            }
            // The first row may have opened resources that the others share.
            let is_long = || {
                F::HELPED_FROM.is_zero()
                    || row > limits::TIMED_ROWS
                        && first_done.elapsed().div_f64((row - 1) as f64) >= F::HELPED_FROM
            };
            if row > 0
                && self.threads > 1
                && started.elapsed() >= patience
                && is_long()
                && let Some(helpers) = self.helpers(rows - row)
            {
                return self.share(helpers, inputs, row..rows, out);
            }
            call::<F>(&mut self.state, inputs, row, out)?;
            // All rows of a chunk are held until DuckDB counts them.
            within(out.bytes())?;
        }
        Ok(())
    }

    /// Returns permits for threads that help with `rows` rows, and creates their states; `None` if no
    /// thread is idle.
    fn helpers(&mut self, rows: usize) -> Option<Vec<RowThread>> {
        // One row is left for the calling thread.
        let most = (self.threads - 1).min(rows - 1);
        let helpers: Vec<_> = (0..most).map_while(|_| RowThread::spare(self.threads)).collect();
        while self.helpers.len() < helpers.len() {
            self.helpers.push(self.state.helper()?);
        }
        (!helpers.is_empty()).then_some(helpers)
    }

    /// Computes rows together with helpers.
    fn share(
        &mut self,
        helpers: Vec<RowThread>,
        inputs: &[(Field, Input)],
        rows: Range<usize>,
        out: &mut Column,
    ) -> Result<()> {
        let workers = helpers.len() + 1;
        let queue = Queue { next: rows.start, end: rows.end, done: Vec::new() };
        let shared = Shared {
            inputs,
            workers,
            queue: Mutex::new(queue),
            bytes: AtomicUsize::new(out.bytes()),
            failed: AtomicUsize::new(rows.end),
        };
        let threads = self.threads;
        thread::scope(|scope| {
            for (helper, state) in helpers.into_iter().zip(&mut self.helpers) {
                let shared = &shared;
                let named = thread::Builder::new().name("redline rows".to_owned());
                // If no thread can start, the others compute its rows.
                let _ = named.spawn_scoped(scope, move || {
                    let _counted = helper;
                    let _current = state.budget().map(Current::enter);
                    // DuckDB's own threads have priority.
                    while !RowThread::are_too_many(threads) && shared.step::<F>(state) {}
                });
            }
            while shared.step::<F>(&mut self.state) {}
        });
        let mut done = shared.queue.into_inner().unwrap_or_else(PoisonError::into_inner).done;
        done.sort_unstable_by_key(|&(first, _)| first);
        done.into_iter().try_for_each(|(_, values)| {
            out.append(values?);
            Ok(())
        })
    }
}

/// The rows that several threads compute.
struct Shared<'a> {
    inputs: &'a [(Field, Input)],
    workers: usize,
    queue: Mutex<Queue>,
    /// The approximate size of all values.
    bytes: AtomicUsize,
    /// A row with an error; later rows no longer count.
    failed: AtomicUsize,
}

struct Queue {
    /// The rows that are not taken yet.
    next: usize,
    end: usize,
    /// The values of the computed blocks, each with its first row.
    done: Vec<(usize, Result<Column>)>,
}

impl Shared<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes one block; returns false if no rows are left.
    fn step<F: ScalarFunction>(&self, state: &mut F::State) -> bool {
        let Some(rows) = self.take() else { return false };
        let first = rows.start;
        let mut at = first;
        let values = contain::run_thread(|| {
            let mut values = Column::new(&F::RETURNS);
            let mut counted = 0;
            for row in rows {
                at = row;
                if row > self.failed.load(Ordering::Relaxed) {
                    break;
                }
                call::<F>(state, self.inputs, row, &mut values)?;
                let bytes = values.bytes();
                let more = bytes - std::mem::replace(&mut counted, bytes);
                within(self.bytes.fetch_add(more, Ordering::Relaxed) + more)?;
            }
            Ok(values)
        });
        let mut queue = self.queue();
        if values.is_err() {
            // The rows before it were taken already.
            queue.next = queue.end;
            self.failed.fetch_min(at, Ordering::Relaxed);
        }
        queue.done.push((first, values));
        true
    }

    /// Returns the next rows, fewer towards the end so that all threads end together.
    fn take(&self) -> Option<Range<usize>> {
        let mut queue = self.queue();
        let left = queue.end - queue.next;
        let rows = (left / (4 * self.workers)).clamp(1, limits::SHARED_ROWS).min(left);
        let first = queue.next;
        queue.next += rows;
        (rows > 0).then_some(first..queue.next)
    }
}

/// Appends the value of one row.
fn call<F: ScalarFunction>(
    state: &mut F::State,
    inputs: &[(Field, Input)],
    row: usize,
    out: &mut Column,
) -> Result<()> {
    check_current()?;
    let arguments = Arguments::new(inputs, row);
    if F::NULLS == Nulls::Propagate && arguments.has_null() {
        out.push_null();
        return Ok(());
    }
    F::call(state, arguments, out)
}

/// Refuses a chunk whose values exceed the memory of a query.
fn within(bytes: usize) -> Result<()> {
    let limit = limits::QUERY_BYTES;
    if bytes > limit { Err(Stopped::Memory { limit }.into()) } else { Ok(()) }
}
