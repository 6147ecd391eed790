//! Memory that the process caches between queries, over all databases.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::limits::HOST_LIMITS;

/// The cache of all databases of the process.
pub static KEPT: KeptBytes = KeptBytes::new(HOST_LIMITS.cache_bytes.default as usize);

/// Counts cached bytes against a limit.
///
/// The counter only counts: a cache adds an item if it fits, and evicts items while
/// [`KeptBytes::excess`] is above zero.
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

    /// Sets the limit, and returns by how many bytes it is exceeded now.
    pub fn set_limit(&self, limit: usize) -> usize {
        self.limit.store(limit, Ordering::Relaxed);
        self.excess()
    }

    /// Returns the limit.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Counts bytes as cached if they fit; tells whether they did.
    pub fn add(&self, bytes: usize) -> bool {
        let limit = self.limit();
        let fits = |kept: usize| kept.checked_add(bytes).filter(|all| *all <= limit);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Counts bytes as released.
    pub fn sub(&self, bytes: usize) {
        let less = |kept: usize| Some(kept.saturating_sub(bytes));
        let _ = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Returns the cached bytes.
    pub fn current(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the bytes over the limit, for example after it was lowered.
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
