//! Memory that the process keeps between queries, over all databases.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits;

/// What is kept by all databases of the process.
pub static KEPT: KeptBytes = KeptBytes::new(limits::CACHE_BYTES as usize);

/// Counts bytes that are kept against a limit.
///
/// The counter decides nothing itself: whoever keeps something adds it when there is room, and lets go of
/// something when [`KeptBytes::excess`] says so.
#[derive(Debug)]
pub struct KeptBytes {
    bytes: AtomicUsize,
    limit: AtomicUsize,
}

impl KeptBytes {
    /// Returns a counter at zero.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { bytes: AtomicUsize::new(0), limit: AtomicUsize::new(limit) }
    }

    /// Sets the most that may be kept, and returns by how much that is exceeded now.
    pub fn set_limit(&self, limit: usize) -> usize {
        self.limit.store(limit, Ordering::Relaxed);
        self.excess()
    }

    /// Returns the most that may be kept.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Counts bytes as kept if they fit; tells whether they did.
    pub fn add(&self, bytes: usize) -> bool {
        let limit = self.limit();
        let fits = |kept: usize| kept.checked_add(bytes).filter(|all| *all <= limit);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Counts bytes as given back.
    pub fn sub(&self, bytes: usize) {
        let less = |kept: usize| Some(kept.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Returns the bytes that are kept.
    pub fn current(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the bytes over the limit, as after it was lowered.
    pub fn excess(&self) -> usize {
        self.current().saturating_sub(self.limit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays_within_the_limit() {
        let kept = KeptBytes::new(100);
        assert!(kept.add(70) && !kept.add(31) && kept.add(30));
        assert_eq!((kept.current(), kept.set_limit(40)), (100, 60));
        kept.sub(70);
        assert_eq!((kept.current(), kept.excess()), (30, 0));
    }
}
