//! Room for the heap of a worker thread.
//!
//! glibc extends the heap of any thread but the first by single pages, each with a call of the
//! system that holds up the page faults of all threads. A worker takes thousands of pages.

use std::hint::black_box;

const PIECE_BYTES: usize = 1 << 20;
const PIECES: usize = 16;

/// Extends the heap of this thread at once, and leaves it free. The pages are not touched, so they
/// take no memory yet.
pub fn make_room() {
    // glibc maps pieces of this size by themselves until one of them has been freed.
    drop(piece());
    let pieces: Vec<Vec<u8>> = std::iter::from_fn(piece).take(PIECES).collect();
    drop(pieces);
}

/// Returns a piece of the heap, `None` if the system grants none.
fn piece() -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(PIECE_BYTES).ok()?;
    // The compiler could leave out an allocation that is freed unused.
    Some(black_box(bytes))
}
