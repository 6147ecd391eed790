//! An allocator that refuses allocations when a test tells it to, in debug builds only: tests show
//! that no function ends the process where the system refuses memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size in bytes above which allocations are counted: what is not larger has room in
/// `limits::HEADROOM_BYTES`.
const COUNTED_BYTES: usize = 64 << 10;

/// Allocations of the process since [`refuse`].
static SEEN: AtomicUsize = AtomicUsize::new(0);
/// The first that is refused, from 1, and how many are.
static FIRST: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Refuses `count` allocations of redline over 64 KiB, from number `first` on, counted from
/// now; 0 refuses none. Returns how many it refused before.
pub fn refuse(first: usize, count: usize) -> usize {
    let (before, refused) = (FIRST.load(Ordering::Relaxed), COUNT.load(Ordering::Relaxed));
    FIRST.store(0, Ordering::Relaxed);
    let seen = SEEN.swap(0, Ordering::Relaxed);
    COUNT.store(count, Ordering::Relaxed);
    FIRST.store(first, Ordering::Relaxed);
    if before == 0 { 0 } else { (seen + 1).saturating_sub(before).min(refused) }
}

fn is_refused(bytes: usize) -> bool {
    if bytes <= COUNTED_BYTES {
        return false;
    }
    let first = FIRST.load(Ordering::Relaxed);
    if first == 0 {
        return false;
    }
    let number = SEEN.fetch_add(1, Ordering::Relaxed) + 1;
    number >= first && number - first < COUNT.load(Ordering::Relaxed)
}

struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

// SAFETY: it is the system's allocator, or returns null, which says that there is no memory.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_refused(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // The system does not refuse what shrinks.
        if bytes > layout.size() && is_refused(bytes) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.realloc(old, layout, bytes) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(old, layout) }
    }
}
