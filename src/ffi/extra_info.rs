//! The extension's data for a database, passed to DuckDB with every function.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use super::api::Destroy;
use super::kept::kept;

/// A value that lives as long as the functions registered with it: as long as the database.
#[derive(Debug, Clone)]
pub struct ExtraInfo(Arc<dyn Any + Send + Sync>);

impl ExtraInfo {
    /// Stores a value.
    pub fn new(value: impl Any + Send + Sync) -> Self {
        Self(Arc::new(value))
    }

    /// Returns the value, if it is of this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }

    /// Returns one more share as the extra information of a function, and its destructor.
    pub(super) fn share(&self) -> (*mut c_void, Option<Destroy>) {
        kept(self.clone())
    }

    /// Returns the value of extra information.
    ///
    /// # Safety
    /// `shared` must come from [`Self::share`] and not be destroyed yet.
    pub(super) unsafe fn of(shared: *const c_void) -> Self {
        // SAFETY: the contract above.
        unsafe { (*shared.cast::<Self>()).clone() }
    }
}
