//! DuckDB's client context, which gives access to a connection's settings and file system.

use std::ptr;
use std::sync::Arc;

use libduckdb_sys as sys;

use super::api::api;

/// A client context that is destroyed with its last owner.
#[derive(Debug)]
pub struct ClientContext(sys::duckdb_client_context);

// SAFETY: DuckDB's client context is shared between its own threads; the wrapper holds a plain
// reference that is used by one thread at a time (bind, then init, then the destructor).
unsafe impl Send for ClientContext {}
// SAFETY: as above: shared use only reads configuration options and opens files, for which DuckDB
// has locks of its own.
unsafe impl Sync for ClientContext {}

impl ClientContext {
    /// Takes over a context returned by the API; null is a context without settings.
    pub fn new(raw: sys::duckdb_client_context) -> Arc<Self> {
        Arc::new(Self(raw))
    }

    /// Returns the raw context, valid as long as `self`.
    pub fn raw(&self) -> sys::duckdb_client_context {
        self.0
    }
}

impl Drop for ClientContext {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: owned, destroyed once.
            unsafe { api().duckdb_destroy_client_context(ptr::from_mut(&mut self.0)) }
        }
    }
}
