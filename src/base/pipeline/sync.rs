//! The pipeline's imports from the standard library, or from loom to explore interleavings.

#[cfg(not(loom))]
pub use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::JoinHandle,
};

#[cfg(loom)]
pub use loom::{
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread::JoinHandle,
};

/// Starts a named thread.
pub fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    #[cfg(not(loom))]
    use std::thread::Builder;

    #[cfg(loom)]
    use loom::thread::Builder;

    Builder::new().name("redline".to_owned()).spawn(|| {
        #[cfg(all(not(loom), target_os = "linux", target_env = "gnu"))]
        super::heap::make_room();
        work();
    })
}
