//! The number of threads that all queries of the process may use.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits;

/// The workers of all scans of the process.
static WORKERS: AtomicUsize = AtomicUsize::new(0);

/// A permit to run a number of workers, until it is dropped.
#[derive(Debug)]
pub struct Permits {
    count: usize,
    counter: &'static AtomicUsize,
}

impl Permits {
    /// Returns a permit for `threads` workers, or for what is left of the process's
    /// [`limits::WORKERS_PER_THREAD`] times `threads`; at least for one, so that no scan waits for
    /// another.
    #[must_use]
    pub fn take(threads: usize) -> Self {
        Self::take_from(&WORKERS, threads)
    }

    /// Does the same with a given counter.
    pub fn take_from(counter: &'static AtomicUsize, threads: usize) -> Self {
        let all = threads.saturating_mul(limits::WORKERS_PER_THREAD);
        let given = |used: usize| threads.min(all.saturating_sub(used)).max(1);
        let used = counter
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used + given(used)));
        Self { count: given(used.unwrap_or_else(|used| used)), counter }
    }

    /// Splits off a permit for one worker; `None` if this is the last one.
    #[must_use]
    pub fn split(&mut self) -> Option<Self> {
        let others = self.count.checked_sub(1).filter(|&others| others > 0)?;
        self.count = others;
        Some(Self { count: 1, counter: self.counter })
    }

    /// Returns the number of workers.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for Permits {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// The threads that compute rows of scalar functions: DuckDB's own that call them, and ours.
static ROW_THREADS: AtomicUsize = AtomicUsize::new(0);

/// One such thread, counted until it is dropped.
#[derive(Debug)]
pub struct RowThread(());

impl RowThread {
    /// Counts one of DuckDB's threads.
    #[must_use]
    pub fn enter() -> Self {
        ROW_THREADS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }

    /// Returns a permit for one more thread while fewer than `threads` are running.
    #[must_use]
    pub fn spare(threads: usize) -> Option<Self> {
        let more = |running: usize| (running < threads).then_some(running + 1);
        let counted = ROW_THREADS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.ok().map(|_| Self(()))
    }

    /// Returns each running thread's equal share of `threads` for one row, at least one.
    #[must_use]
    pub fn share(threads: usize) -> usize {
        (threads / ROW_THREADS.load(Ordering::Relaxed).max(1)).max(1)
    }

    /// Tells whether more than `threads` are running, so that one of ours should end.
    #[must_use]
    pub fn are_too_many(threads: usize) -> bool {
        ROW_THREADS.load(Ordering::Relaxed) > threads
    }
}

impl Drop for RowThread {
    fn drop(&mut self) {
        ROW_THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_compute_rows_are_added_while_some_of_the_host_are_idle() {
        let host = RowThread::enter();
        let ours = RowThread::spare(2).expect("one of two is idle");
        assert!(RowThread::spare(2).is_none() && !RowThread::are_too_many(2));
        assert_eq!([1, 2, 4, 7].map(RowThread::share), [1, 1, 2, 3]);
        let second = RowThread::enter();
        assert!(RowThread::are_too_many(2));
        drop((ours, second));
        assert!(RowThread::spare(2).is_some() && RowThread::spare(1).is_none());
        drop(host);
    }

    #[test]
    fn many_scans_share_a_bounded_number_of_workers_and_each_has_one() {
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let scans: Vec<_> = (0..20).map(|_| Permits::take_from(&COUNTER, 100)).collect();
        let counts: Vec<usize> = scans.iter().map(Permits::count).collect();
        let all = 100 * limits::WORKERS_PER_THREAD;
        assert_eq!(counts[..5], [100, 100, 100, 100, 1], "{counts:?}");
        assert_eq!(counts.iter().sum::<usize>(), all + 16, "{counts:?}");
        drop(scans);
        let mut permits = Permits::take_from(&COUNTER, 2);
        let split = permits.split().expect("one of two");
        assert_eq!((permits.count(), split.count(), permits.split().is_none()), (1, 1, true));
        drop(permits);
        assert_eq!(COUNTER.load(Ordering::Relaxed), 1);
        drop(split);
        assert_eq!(Permits::take_from(&COUNTER, 7).count(), 7);
    }
}
