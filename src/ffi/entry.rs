//! The entry point DuckDB calls when the extension is loaded.

use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api, install};
use super::contain;
use super::registrar::Registrar;
use super::types::c_name;
use redline_base::error::{Error, Result};

/// The version of the C API the extension is built for, as in its metadata footer.
const API_VERSION: &str = "v1.5.6";

/// Loads the extension into a database; returns false after `access.set_error`, as without a
/// message DuckDB would invalidate the database.
///
/// # Safety
/// Called by DuckDB with live handles.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn redline_init_c_api(
    info: sys::duckdb_extension_info,
    access: *const sys::duckdb_extension_access,
) -> bool {
    contain::install_hook();
    // SAFETY: the caller's promise.
    let connected = unsafe { connect(info, access) };
    let registered = connected.and_then(|(database, connection)| {
        // SAFETY: called by DuckDB, and `connect` has taken its functions.
        let outside = unsafe { Outside::enter() };
        crate::functions::register(&mut Registrar::new(outside, database, connection))
    });
    match registered {
        Ok(()) => true,
        Err(error) => {
            let message = contain::c_message(&error);
            // SAFETY: `access` is live and the message outlives the call, which copies it.
            if let Some(set_error) = unsafe { (*access).set_error } {
                // SAFETY: as above.
                unsafe { set_error(info, message.as_ptr()) };
            }
            false
        }
    }
}

/// Takes DuckDB's functions and opens a connection to the database that loads the extension.
///
/// # Safety
/// As [`redline_init_c_api`].
unsafe fn connect(
    info: sys::duckdb_extension_info,
    access: *const sys::duckdb_extension_access,
) -> Result<(sys::duckdb_database, sys::duckdb_connection)> {
    let refused = |why: &str| Error::tool_failed(format!("redline cannot be loaded: {why}"));
    // SAFETY: `access` and the table it returns are live; the table is the one of the requested
    // version, or null.
    unsafe {
        let (Some(get_api), Some(get_database)) = ((*access).get_api, (*access).get_database)
        else {
            return Err(refused("DuckDB gave no access to its C API"));
        };
        let raw = get_api(info, c_name(API_VERSION).as_ptr()).cast::<sys::duckdb_ext_api_v1>();
        if raw.is_null() {
            return Err(refused(&format!(
                "this DuckDB lacks the C API {API_VERSION}; DuckDB 1.5.6 or newer is needed"
            )));
        }
        install(&*raw).map_err(|why| refused(&why))?;
        // The duckdb crate keeps a table of its own, which reads argument values.
        if !matches!(sys::duckdb_rs_extension_api_init(info, access, API_VERSION), Ok(true)) {
            return Err(refused("DuckDB's C API could not be initialised"));
        }
        let database = get_database(info);
        if database.is_null() {
            return Err(refused("DuckDB gave no database"));
        }
        let mut connection = ptr::null_mut();
        let database = *database;
        if api().duckdb_connect(database, &mut connection) != sys::DuckDBSuccess {
            return Err(refused("no connection to the database could be opened"));
        }
        Ok((database, connection))
    }
}
