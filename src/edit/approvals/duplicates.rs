//! The edits that the current statement has made.
//!
//! SQL may evaluate one call more than once: `(edit_file(…)).*` calls it for each field. Most edits
//! cannot be made twice, as their `old_string` is gone after the first time; one that keeps its
//! `old_string` in place can. This module distinguishes separate calls in the query (two rows may
//! well ask for the same edit) from copies of one call that DuckDB has made: copies are prepared
//! before any of them runs.

use redline_base::budget::{Grow, GrowMap};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::approvals::secret::Digest;

/// The number of edits that are remembered: more than the rows that DuckDB passes to its copies of
/// a call at once.
const REMEMBERED: usize = 1 << 16;

/// The time at which a call was prepared, unique for each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

impl Ticket {
    /// Returns its number, which is unique in the database.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// An edit that a connection asked for.
type Asked = (u64, Digest);

#[derive(Debug, Default)]
struct State {
    now: u64,
    /// The last call that made each edit, and when.
    made: HashMap<Asked, (Ticket, Ticket)>,
    /// The same in order, the oldest first, with outdated entries of repeated edits.
    order: VecDeque<(Ticket, Asked)>,
}

/// The edits made in one database.
#[derive(Debug, Default)]
pub struct Duplicates(Mutex<State>);

impl Duplicates {
    /// Returns the ticket of a call that is being prepared.
    pub fn ticket(&self) -> Ticket {
        self.lock().next()
    }

    /// Tells whether another call has made the edit since `ticket` on the same connection, which
    /// runs one statement at a time.
    pub fn is_duplicate(&self, connection: u64, request: Digest, ticket: Ticket) -> bool {
        let made = self.lock().made.get(&(connection, request)).copied();
        made.is_some_and(|(at, by)| at > ticket && by != ticket)
    }

    /// Remembers that the call of `ticket` has made the edit.
    pub fn record(&self, connection: u64, request: Digest, ticket: Ticket) {
        let mut state = self.lock();
        let (at, asked) = (state.next(), (connection, request));
        state.made.put(asked, (at, ticket));
        state.order.add((at, asked));
        if state.order.len() > REMEMBERED
            && let Some((at, asked)) = state.order.pop_front()
            && state.made.get(&asked).is_some_and(|(last, _)| *last == at)
        {
            state.made.remove(&asked);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next(&mut self) -> Ticket {
        self.now += 1;
        Ticket(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &[u8]) -> Digest {
        Digest::sha256(path)
    }

    #[test]
    fn only_a_copy_of_a_call_is_a_repeat() {
        let duplicates = Duplicates::default();
        let (first, copy) = (duplicates.ticket(), duplicates.ticket());
        duplicates.record(1, request(b"a"), first);
        assert!(duplicates.is_duplicate(1, request(b"a"), copy));
        for (connection, path, ticket) in [(1, b"a", first), (1, b"b", copy), (2, b"a", copy)] {
            assert!(
                !duplicates.is_duplicate(connection, request(path), ticket),
                "{connection} {path:?} {ticket:?}"
            );
        }
    }

    #[test]
    fn the_next_statement_may_repeat_an_edit() {
        let duplicates = Duplicates::default();
        let first = duplicates.ticket();
        duplicates.record(1, request(b"a"), first);
        let next = duplicates.ticket();
        assert!(!duplicates.is_duplicate(1, request(b"a"), next));
    }

    #[test]
    fn the_memory_is_bounded_and_includes_the_latest() {
        let duplicates = Duplicates::default();
        let (first, copy) = (duplicates.ticket(), duplicates.ticket());
        duplicates.record(1, request(b"often"), first);
        for number in 0..=REMEMBERED {
            duplicates.record(1, request(&number.to_be_bytes()), first);
            duplicates.record(1, request(b"often"), first);
        }
        assert!(duplicates.is_duplicate(1, request(b"often"), copy));
        let state = duplicates.lock();
        assert!(state.order.len() <= REMEMBERED && state.made.len() <= REMEMBERED);
    }
}
