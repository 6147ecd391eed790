//! Replacement scans: table names that call a function.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::contain;
use super::types::c_name;

/// The replacement of a table name that DuckDB does not know.
pub trait ReplacementScan: 'static {
    /// The table function to call instead.
    const FUNCTION: &'static str;

    /// Returns the function's positional arguments, NULL as `None`; `None` if the name is not
    /// replaced. DuckDB asks for every unknown name, and may ask more than once.
    fn arguments(table: &str) -> Option<Vec<Option<String>>>;
}

/// Registers `R` on a database.
///
/// # Safety
/// `database` must be live.
pub unsafe fn register<R: ReplacementScan>(outside: &Outside, database: sys::duckdb_database) {
    // SAFETY: the callback matches the signature it is called with, and there is no data to free.
    unsafe { outside.duckdb_add_replacement_scan(database, Some(scan::<R>), ptr::null_mut(), None) }
}

/// # Safety
/// Called by DuckDB with a live info and a name that ends in NUL.
unsafe extern "C-unwind" fn scan<R: ReplacementScan>(
    info: sys::duckdb_replacement_scan_info,
    table: *const c_char,
    _data: *mut c_void,
) {
    // SAFETY: the contract above; the values are ours and DuckDB copies them.
    unsafe {
        let mut outside = Outside::enter();
        let Ok(table) = CStr::from_ptr(table).to_str() else { return };
        let arguments = match contain::run(&mut outside, || Ok(R::arguments(table))) {
            Ok(Some(arguments)) => arguments,
            Ok(None) => return,
            Err(error) => {
                outside
                    .duckdb_replacement_scan_set_error(info, contain::c_message(&error).as_ptr());
                return;
            }
        };
        outside.duckdb_replacement_scan_set_function_name(info, c_name(R::FUNCTION).as_ptr());
        for argument in arguments {
            let mut value = match argument.map(CString::new) {
                Some(Ok(text)) => outside.duckdb_create_varchar(text.as_ptr()),
                // A name from C has no NUL, so its parts have none.
                Some(Err(_)) | None => outside.duckdb_create_null_value(),
            };
            outside.duckdb_replacement_scan_add_parameter(info, value);
            api().duckdb_destroy_value(&mut value);
        }
    }
}
