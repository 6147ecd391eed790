//! The size of results in memory.

/// A result that knows its approximate size in memory.
pub trait Weigh {
    /// Returns the size in bytes.
    fn bytes(&self) -> usize;
}

impl<T: Weigh> Weigh for Vec<T> {
    fn bytes(&self) -> usize {
        self.iter().map(Weigh::bytes).sum()
    }
}

impl<A: Weigh, B: Weigh> Weigh for (A, B) {
    fn bytes(&self) -> usize {
        self.0.bytes() + self.1.bytes()
    }
}
