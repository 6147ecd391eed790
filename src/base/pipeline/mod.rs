//! Ordered parallel work with a bounded window.
//!
//! Workers share one source behind a lock: each reserves a slot, takes the next job for it, works
//! on it unlocked, and puts the result into the slot. The reader takes slots from the front, so
//! results come in the source's order; a worker without room waits. One lock decides whether there
//! is room, and whether anything can be read.
//!
//! The reader gets the end when the source has ended and every slot was read. Anything else that
//! ends the work, a panic too, is an error at its place. Dropping the reader stops and joins the
//! workers.
//!
//! Waking a thread costs more than many jobs, so it is done for several results at once: the reader
//! is woken for a batch of them or at the end, and polls meanwhile; workers are woken when half of
//! the window has been read.
//!
//! The crate in `test/loom` compiles these files with loom's locks and explores their
//! interleavings.
//!
//! DuckDB runs a table function that must keep its order on one thread, so the parallelism is
//! ours. The window is counted in jobs and in bytes of results, and grows as rows are read, so
//! `LIMIT` is cheap.

#[cfg(all(not(loom), target_os = "linux", target_env = "gnu"))]
mod heap;
mod state;
mod sync;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use state::{Room, Shared};
use sync::{JoinHandle, Mutex};

use crate::budget::{Budget, Current, Permits, Weigh, stopped_by};
use crate::error::{Error, Result};
use crate::limits;

/// The maximum time between polls of a waiting reader: a batch of long jobs may never fill.
const LOOK: Duration = Duration::from_millis(2);
/// The minimum time, at the start; later it is an eighth of the elapsed time, as a query with a
/// LIMIT needs its few rows soon.
const FIRST_LOOK: Duration = Duration::from_micros(100);

/// The result of a poll.
#[derive(Debug)]
pub enum Poll<R> {
    /// The next result in order.
    Ready(Result<R>),
    /// The time limit passed first.
    Pending,
    /// All results were read, or an error was returned.
    End,
}

/// How far workers may be ahead of the reader.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Jobs in progress or done.
    pub jobs: usize,
    /// Bytes of results; the jobs in progress may exceed it.
    pub bytes: usize,
}

impl Window {
    /// Returns a window of `jobs` jobs, and of [`limits::WINDOW_BYTES`].
    pub fn of(jobs: usize) -> Self {
        Self { jobs, bytes: limits::WINDOW_BYTES }
    }

    /// Returns a window of `jobs` jobs, of any size.
    pub fn unweighed(jobs: usize) -> Self {
        Self { jobs, bytes: usize::MAX }
    }
}

/// A result that needs no weight: its window is unweighed, or all results are kept until the last
/// one is complete.
pub struct Unweighed<T>(pub T);

impl<T> Weigh for Unweighed<T> {
    fn bytes(&self) -> usize {
        0
    }
}

/// A source of jobs.
pub struct Source<I> {
    jobs: I,
    open: Option<Open<I>>,
}

/// How a source withholds results, and how it advances until they are final.
struct Open<I> {
    is_open: fn(&I) -> bool,
    walk_on: fn(&mut I),
}

impl<I> Source<I> {
    /// Takes the jobs from an iterator.
    pub fn new(jobs: I) -> Self {
        Self { jobs, open: None }
    }

    /// Withholds all results while `is_open`; while there is no room for another job, a worker
    /// calls `walk_on` repeatedly. It must return after some milliseconds, and close the source
    /// eventually. So does the last job.
    #[must_use]
    pub fn open_while(self, is_open: fn(&I) -> bool, walk_on: fn(&mut I)) -> Self {
        Self { open: Some(Open { is_open, walk_on }), ..self }
    }

    /// Tells whether results may be read.
    fn is_decided(&self) -> bool {
        self.open.as_ref().is_none_or(|open| !(open.is_open)(&self.jobs))
    }

    /// Advances the source until it knows which jobs count.
    fn walk_on(&mut self) {
        if let Some(open) = &self.open {
            (open.walk_on)(&mut self.jobs);
        }
    }
}

/// The growth of batches from one item on, as a query with a LIMIT may need no more.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    /// The number of batches after which their size doubles.
    pub doubles_after: u32,
    /// The most items of a batch.
    pub most: usize,
}

/// Groups the items of an iterator, jobs too small to be handed over one by one, in growing
/// batches; an error comes after the items before it.
pub struct Batches<I> {
    items: I,
    growth: Growth,
    /// The number of returned batches.
    given: u32,
    /// An error after the last batch.
    failed: Option<Error>,
}

impl<I> Batches<I> {
    /// Takes the items from an iterator.
    pub fn new(items: I, growth: Growth) -> Self {
        Self { items, growth, given: 0, failed: None }
    }

    /// Returns the iterator.
    pub fn items(&self) -> &I {
        &self.items
    }

    /// Returns the iterator, to advance it.
    pub fn items_mut(&mut self) -> &mut I {
        &mut self.items
    }

    /// Returns the maximum size of the next batch.
    fn room(&mut self) -> usize {
        let doubled = self.given / self.growth.doubles_after;
        self.given = self.given.saturating_add(1);
        1usize.checked_shl(doubled).unwrap_or(usize::MAX).min(self.growth.most)
    }
}

impl<T, I: Iterator<Item = Result<T>>> Iterator for Batches<I> {
    type Item = Result<Vec<T>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let room = self.room();
        let mut batch = Vec::with_capacity(room);
        while batch.len() < room {
            match self.items.next() {
                Some(Ok(item)) => batch.push(item),
                Some(Err(error)) if batch.is_empty() => return Some(Err(error)),
                Some(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
                None => break,
            }
        }
        (!batch.is_empty()).then_some(Ok(batch))
    }
}

/// Reads the results of parallel work in the order of its source.
pub struct Ordered<R> {
    shared: sync::Arc<Shared<R>>,
    threads: Vec<JoinHandle<()>>,
    budget: Arc<Budget>,
    start: Instant,
    is_over: bool,
    _permits: Permits,
}

/// Counts a worker as ended when it returns, or was never started.
struct Running<R>(sync::Arc<Shared<R>>);

impl<R> Running<R> {
    fn new(shared: &sync::Arc<Shared<R>>) -> Self {
        shared.enter();
        Self(sync::Arc::clone(shared))
    }
}

impl<R> Drop for Running<R> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl<R: Weigh + Send + 'static> Ordered<R> {
    /// Starts a thread for each worker, as far as `permits` allow, with the restrictions of the
    /// calling thread.
    ///
    /// After an error, of the source or of a worker, the source is not used again. `budget` is
    /// shared with the work itself: it is cancelled when the reader is dropped, and long jobs
    /// should check it.
    ///
    /// # Errors
    /// `tool_failed` if no thread can be started.
    pub fn start<J, I, W>(
        source: Source<I>,
        mut workers: Vec<W>,
        window: Window,
        budget: Arc<Budget>,
        permits: Permits,
    ) -> Result<Self>
    where
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        W: FnMut(J) -> Result<R> + Send + 'static,
    {
        workers.truncate(permits.count());
        let shared = sync::Arc::new(Shared::new(window, 2 * workers.len(), source.is_decided()));
        let start = Instant::now();
        let threads = start_all(source, workers, &shared, &budget)?;
        Ok(Self { shared, threads, budget, start, is_over: false, _permits: permits })
    }

    /// Waits for the next result, until `until` if that is given. After an error comes the end.
    pub fn poll(&mut self, until: Option<Instant>) -> Poll<R> {
        if self.is_over {
            return Poll::End;
        }
        let found = self.wait(until);
        self.is_over = matches!(found, Poll::Ready(Err(_)) | Poll::End);
        found
    }

    fn wait(&self, until: Option<Instant>) -> Poll<R> {
        let mut state = self.shared.lock();
        loop {
            if let Err(stopped) = self.budget.check() {
                return Poll::Ready(Err(stopped.into()));
            }
            let found = self.shared.next(&mut state);
            if !matches!(found, Poll::Pending) {
                return found;
            }
            let look = (self.start.elapsed() / 8).clamp(FIRST_LOOK, LOOK);
            let left = until
                .map_or(look, |until| until.saturating_duration_since(Instant::now()).min(look));
            if left.is_zero() {
                return Poll::Pending;
            }
            state = self.shared.wait(state, left);
        }
    }
}

/// Waits for each result.
impl<R: Weigh + Send + 'static> Iterator for Ordered<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        match self.poll(None) {
            Poll::Ready(result) => Some(result),
            Poll::Pending | Poll::End => None,
        }
    }
}

impl<R> Drop for Ordered<R> {
    fn drop(&mut self) {
        self.budget.cancel();
        self.shared.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Starts a thread for each worker, as far as the system allows.
fn start_all<J, I, W, R>(
    source: Source<I>,
    workers: Vec<W>,
    shared: &sync::Arc<Shared<R>>,
    budget: &Arc<Budget>,
) -> Result<Vec<JoinHandle<()>>>
where
    J: Send + 'static,
    I: Iterator<Item = Result<J>> + Send + 'static,
    W: FnMut(J) -> Result<R> + Send + 'static,
    R: Weigh + Send + 'static,
{
    let source = sync::Arc::new(Mutex::new(source));
    let mut threads = Vec::new();
    for worker in workers {
        let running = Running::new(shared);
        let (source, budget) = (sync::Arc::clone(&source), Arc::clone(budget));
        let work = move || {
            let _current = Current::enter(&budget);
            work(&source, worker, &running.0);
        };
        match sync::spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(error) if threads.is_empty() => {
                return Err(Error::tool_failed("no worker thread could be started")
                    .with_hint("Lower the load of the machine or raise the limit of its processes")
                    .with_source(error));
            }
            // The running threads do the work of the others.
            Err(_) => break,
        }
    }
    Ok(threads)
}

/// Processes jobs until there are none left.
fn work<J, I, W, R>(source: &Mutex<Source<I>>, mut worker: W, shared: &Shared<R>)
where
    I: Iterator<Item = Result<J>>,
    W: FnMut(J) -> Result<R>,
    R: Weigh,
{
    while let Some((place, job)) = take(source, shared) {
        shared.put(place, contained(|| worker(job)));
    }
    // A worker may hold much memory, which is released before the worker counts as ended.
    let _ = contained(|| {
        drop(worker);
        Ok(())
    });
}

/// Returns the next job and its slot.
fn take<J, I, R>(source: &Mutex<Source<I>>, shared: &Shared<R>) -> Option<(u64, J)>
where
    I: Iterator<Item = Result<J>>,
    R: Weigh,
{
    let mut source = source.lock().ok()?;
    loop {
        let was_decided = source.is_decided();
        match shared.reserve(was_decided) {
            Room::Closed => return None,
            Room::WalkOn => {
                let walked = contained(|| {
                    source.walk_on();
                    Ok(())
                });
                if let Err(error) = walked {
                    shared.fail(error);
                    return None;
                }
            }
            Room::Slot(place) => match contained(|| source.jobs.next().transpose()) {
                Ok(Some(job)) => {
                    if !was_decided && source.is_decided() {
                        shared.decide();
                    }
                    return Some((place, job));
                }
                Ok(None) => {
                    shared.end();
                    return None;
                }
                // Before another worker uses the source.
                Err(error) => {
                    shared.put(place, Err(error));
                    return None;
                }
            },
        }
    }
}

/// Converts a panic to an error.
fn contained<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // The worker is not used again, as an error closes the pipeline. The others are not cancelled,
    // so that the reader gets this error and not a cancellation.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        if let Some(why) = stopped_by(&*panic) {
            return Err(why.into());
        }
        std::mem::forget(panic);
        Err(Error::tool_failed("a worker thread met an internal error")
            .with_hint("Please report this message with the query"))
    })
}

#[cfg(all(test, not(loom)))]
mod tests;
