//! Rust values that DuckDB keeps, and destroys when it no longer needs them.

use std::ffi::c_void;

use super::api::Destroy;
use super::contain;

/// Returns a value for DuckDB to keep, and its destructor.
pub fn kept<T>(value: T) -> (*mut c_void, Option<Destroy>) {
    (Box::into_raw(Box::new(value)).cast(), Some(destroy::<T>))
}

/// # Safety
/// Called by DuckDB with the pointer of [`kept`], once.
unsafe extern "C-unwind" fn destroy<T>(data: *mut c_void) {
    // SAFETY: the contract above.
    contain::run_drop(|| drop(unsafe { Box::from_raw(data.cast::<T>()) }));
}
