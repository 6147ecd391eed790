//! The budget of the current thread, for code too deep to be given one: the readers of objects.

use std::cell::RefCell;
use std::sync::Arc;

use super::{Budget, Stopped};

thread_local! {
    static CURRENT: RefCell<Option<Arc<Budget>>> = const { RefCell::new(None) };
}

/// Sets the budget of a thread until this is dropped.
#[derive(Debug)]
pub struct Current {
    before: Option<Arc<Budget>>,
}

impl Current {
    /// Enters the budget on this thread.
    #[must_use]
    pub fn enter(budget: &Arc<Budget>) -> Self {
        Self { before: CURRENT.replace(Some(Arc::clone(budget))) }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// Checks the budget of this thread; a thread without a budget always goes on.
///
/// # Errors
/// Those of [`Budget::check`].
pub fn check_current() -> Result<(), Stopped> {
    CURRENT.with_borrow(|budget| budget.as_ref().map_or(Ok(()), |budget| budget.check()))
}

/// Checks the budget of this thread at each `interval`th number.
///
/// # Errors
/// Those of [`Budget::check`].
pub fn check_every(interval: usize, number: usize) -> Result<(), Stopped> {
    if number.is_multiple_of(interval) { check_current() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_works_under_the_budget_that_was_entered_last() {
        let (outer, inner) = (Arc::new(Budget::default()), Arc::new(Budget::default()));
        inner.cancel();
        let _outer = Current::enter(&outer);
        let entered = Current::enter(&inner);
        assert_eq!(check_current(), Err(Stopped::Cancelled));
        drop(entered);
        assert_eq!(check_current(), Ok(()));
    }
}
