//! The shared state of the reader and the workers, behind one lock.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use super::sync::{Condvar, Mutex, MutexGuard};
use super::{Poll, Window};
use crate::budget::Weigh;
use crate::error::{Error, Result};

/// The number of results for which a waiting reader is woken.
const BATCH: usize = 32;

/// The shared state, its lock and condition variables.
pub struct Shared<R> {
    state: Mutex<State<R>>,
    /// Notified when there is enough to read, or no more will come.
    filled: Condvar,
    /// Notified when the reader has made room, or the work must stop.
    taken: Condvar,
}

/// The state of all work.
pub struct State<R> {
    /// Results from the reader's next slot on; `None` is in progress.
    ring: VecDeque<Option<Result<R>>>,
    /// The number of the front slot.
    front: u64,
    /// The number of results in the ring, and their bytes.
    filled: usize,
    bytes: usize,
    window: Window,
    /// The number of jobs in flight before anything was read.
    first: usize,
    /// The number of workers that have not ended.
    running: usize,
    /// Whether the source has ended.
    ended: bool,
    /// Whether the jobs given so far are final, so that results may be read.
    decided: bool,
    /// Whether there was an error, or the reader was dropped: no job is begun.
    closed: bool,
    reader_waits: bool,
    /// Whether a worker waits for room; the others wait for the source.
    worker_waits: bool,
}

/// The answer to a worker that needs a slot.
pub enum Room {
    /// A slot was reserved for its job.
    Slot(u64),
    /// There is no room, and the source must be advanced first.
    WalkOn,
    /// No further job is begun.
    Closed,
}

impl<R> Shared<R> {
    /// Takes the lock. Only code of this module runs under it, so the state is always consistent.
    pub fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a worker that starts.
    pub fn enter(&self) {
        self.lock().running += 1;
    }

    /// Counts a worker that has ended.
    pub fn leave(&self) {
        self.lock().running -= 1;
        self.filled.notify_all();
        self.taken.notify_all();
    }

    /// Ends the work, as the reader is dropped.
    pub fn close(&self) {
        self.lock().closed = true;
        self.taken.notify_all();
    }
}

impl<R: Weigh> Shared<R> {
    /// Returns the initial state; `first` jobs may be in flight before anything is read.
    pub fn new(window: Window, first: usize, decided: bool) -> Self {
        let state = State {
            ring: VecDeque::new(),
            front: 0,
            filled: 0,
            bytes: 0,
            window,
            first,
            running: 0,
            ended: false,
            decided,
            closed: false,
            reader_waits: false,
            worker_waits: false,
        };
        Self { state: Mutex::new(state), filled: Condvar::new(), taken: Condvar::new() }
    }

    /// Reserves a slot, waiting until there is room; `is_decided`: the jobs given so far are final.
    pub fn reserve(&self, is_decided: bool) -> Room {
        let mut state = self.lock();
        self.decide_under(&mut state, is_decided);
        loop {
            if state.closed || state.ended {
                return Room::Closed;
            }
            if state.has_room() {
                state.ring.push_back(None);
                return Room::Slot(state.front + state.ring.len() as u64 - 1);
            }
            // The reader cannot make room before the jobs are final, so do not wait for it.
            if !state.decided {
                return Room::WalkOn;
            }
            state.worker_waits = true;
            state = self.taken.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.worker_waits = false;
        }
    }

    /// Lets the reader read: all jobs given so far and later are final.
    pub fn decide(&self) {
        self.decide_under(&mut self.lock(), true);
    }

    fn decide_under(&self, state: &mut State<R>, is_decided: bool) {
        if is_decided && !state.decided {
            state.decided = true;
            self.filled.notify_all();
        }
    }

    /// Releases the last slot: the source has ended without a job for it.
    pub fn end(&self) {
        let mut state = self.lock();
        state.ring.pop_back();
        state.ended = true;
        state.decided = true;
        self.filled.notify_all();
    }

    /// Appends an error that the source met without a slot.
    pub fn fail(&self, error: Error) {
        let mut state = self.lock();
        state.ring.push_back(Some(Err(error)));
        state.filled += 1;
        state.closed = true;
        self.filled.notify_all();
        self.taken.notify_all();
    }

    /// Puts a result into its slot.
    pub fn put(&self, place: u64, result: Result<R>) {
        let mut state = self.lock();
        let index = usize::try_from(place - state.front).expect("a place that was not read");
        if result.is_err() {
            state.closed = true;
            self.taken.notify_all();
        }
        state.bytes += weight(&result);
        state.ring[index] = Some(result);
        state.filled += 1;
        let is_enough =
            state.filled >= BATCH.min(state.jobs()) || state.bytes >= state.window.bytes;
        if state.reader_waits
            && state.decided
            && is_enough
            && matches!(state.ring.front(), Some(Some(_)))
        {
            self.filled.notify_one();
        }
    }

    /// Waits in the reader for a result, at most for `time`.
    pub fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<R>>,
        time: Duration,
    ) -> MutexGuard<'a, State<R>> {
        if state.worker_waits {
            self.taken.notify_one();
        }
        state.reader_waits = true;
        let mut state =
            self.filled.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0;
        state.reader_waits = false;
        state
    }

    /// Returns the reader's next result, if there is one.
    pub fn next(&self, state: &mut State<R>) -> Poll<R> {
        if state.decided {
            if let Some(Some(_)) = state.ring.front() {
                let result = state.pop();
                if state.worker_waits && state.has_much_room() {
                    self.taken.notify_one();
                }
                return Poll::Ready(result);
            }
            if state.ring.is_empty() && state.ended {
                return Poll::End;
            }
        }
        if state.running > 0 {
            return Poll::Pending;
        }
        // No worker is left to fill a slot or end the source.
        let error = state.ring.iter_mut().find_map(|slot| slot.take_if(|result| result.is_err()));
        Poll::Ready(error.unwrap_or_else(|| {
            Err(Error::tool_failed("the worker threads stopped before their work was done")
                .with_hint("Please report this message with the query"))
        }))
    }
}

impl<R: Weigh> State<R> {
    /// Returns how many jobs may be in flight: a few at first, as a reader with a LIMIT needs no
    /// more, then twice the number read. Nothing can be read before jobs are final, so then the
    /// whole window is allowed.
    fn jobs(&self) -> usize {
        if !self.decided {
            return self.window.jobs;
        }
        let read = usize::try_from(self.front).unwrap_or(usize::MAX);
        self.first.saturating_add(read).min(self.window.jobs)
    }

    fn has_room(&self) -> bool {
        self.ring.len() < self.jobs() && self.bytes < self.window.bytes
    }

    fn has_much_room(&self) -> bool {
        self.ring.len() <= self.jobs() / 2 && self.bytes <= self.window.bytes / 2
    }

    fn pop(&mut self) -> Result<R> {
        let result = self.ring.pop_front().flatten().expect("a filled slot at the front");
        self.front += 1;
        self.filled -= 1;
        self.bytes -= weight(&result);
        result
    }
}

fn weight<R: Weigh>(result: &Result<R>) -> usize {
    result.as_ref().map_or(0, Weigh::bytes)
}
