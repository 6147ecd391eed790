//! The work that runs for each connection, so that a host can end it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use redline_base::budget::{Budget, Gather, Grow, GrowMap};

/// Connections of which nothing runs that are kept.
const IDLE: usize = 64;

/// The budgets of what runs, by the number of its connection.
#[derive(Debug, Default)]
pub struct Calls(Mutex<HashMap<u64, Vec<Weak<Budget>>>>);

impl Calls {
    /// Notes work that begins; it is forgotten with its budget.
    pub fn add(&self, connection: u64, budget: &Arc<Budget>) {
        let mut calls = self.lock();
        if calls.len() > IDLE {
            calls.retain(|_, running| running.iter().any(|budget| budget.strong_count() > 0));
        }
        let running = calls.slot(connection).or_default();
        running.retain(|budget| budget.strong_count() > 0);
        running.add(Arc::downgrade(budget));
    }

    /// Ends the work of a connection soon; tells whether there is any.
    pub fn end(&self, connection: u64) -> bool {
        let running = self.lock().remove(&connection).unwrap_or_default();
        let running: Vec<Arc<Budget>> = running.iter().filter_map(Weak::upgrade).gather();
        running.iter().for_each(|budget| budget.end());
        !running.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Vec<Weak<Budget>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_one_connection_ends_and_no_other() {
        let calls = Calls::default();
        let [one, again, other] = [(); 3].map(|()| Arc::new(Budget::default()));
        for (connection, budget) in [(1, &one), (1, &again), (2, &other)] {
            calls.add(connection, budget);
        }
        let part = one.part();
        assert!(calls.end(1));
        for ended in [&one, &again, &part, &one.part()] {
            assert!(ended.check().is_err());
        }
        assert!(other.check().is_ok() && !calls.end(1) && !calls.end(3));
        drop(other);
        assert!(!calls.end(2));
    }
}
