//! Which of DuckDB's threads scans.
//!
//! The thread that runs a query looks for tasks in a loop until the query has ended. If another
//! thread has taken the scan, that loop takes a processor from the work until its end. A scan of
//! one task goes to whichever thread is first; so where DuckDB would share a scan among threads, it
//! gets a task for two of them, and the one that runs the query has the first claim to all rows.
//! The other thread is told that there are none, and sleeps.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How long another thread leaves the claim to the one that runs the query, which only has to look;
/// where there are more threads than processors, it gets to that within some slices of time.
const PATIENCE: Duration = Duration::from_millis(2);

/// The claim to the rows of a scan.
pub struct Turn {
    /// The thread that runs the query, as far as is known: the one that bound it.
    caller: ThreadId,
    is_taken: Mutex<bool>,
    taken: Condvar,
}

impl Turn {
    /// Returns the claim to a scan that `caller` has asked for.
    pub fn of(caller: ThreadId) -> Self {
        Self { caller, is_taken: Mutex::new(false), taken: Condvar::new() }
    }

    /// Claims all rows for a task that begins on this thread; tells whether it has them.
    pub fn claim(&self) -> bool {
        let mut is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_taken && thread::current().id() != self.caller {
            let waited = self.taken.wait_timeout_while(is_taken, PATIENCE, |taken| !*taken);
            is_taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let is_first = !std::mem::replace(&mut *is_taken, true);
        if is_first {
            self.taken.notify_all();
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_has_all_rows_whichever_thread_it_runs_on() {
        for is_caller in [true, false] {
            let other = thread::spawn(|| thread::current().id()).join().unwrap();
            let turn = Turn::of(if is_caller { thread::current().id() } else { other });
            let claims = thread::scope(|scope| {
                let others: Vec<_> = (0..3).map(|_| scope.spawn(|| turn.claim())).collect();
                let own = turn.claim();
                others.into_iter().filter_map(|other| other.join().ok()).chain([own]).collect()
            });
            let claims: Vec<bool> = claims;
            assert_eq!(claims.iter().filter(|&&has| has).count(), 1, "{is_caller}");
            assert!(!turn.claim());
        }
    }

    #[test]
    fn the_caller_waits_for_nobody_and_another_thread_for_a_moment() {
        let turn = Turn::of(thread::current().id());
        thread::scope(|scope| {
            let other = scope.spawn(|| turn.claim());
            assert_ne!(turn.claim(), other.join().unwrap());
        });
        let turn = Turn::of(thread::current().id());
        assert!(thread::scope(|scope| scope.spawn(|| turn.claim()).join().unwrap()));
    }
}
