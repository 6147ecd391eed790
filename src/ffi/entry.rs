//! The entry point DuckDB calls when the extension is loaded.

use std::any::Any;
use std::ffi::CStr;
use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api, install};
use super::contain;
use super::extra_info::ExtraInfo;
use super::option::{self, ConfigOption};
use super::replacement::{self, ReplacementScan};
use super::scalar::ScalarFunction;
use super::scalar_callbacks;
use super::table::{self, TableFunction};
use super::types::c_name;
use redline_base::error::{Error, Result};

/// The version of the C API the extension is built for, as in its metadata footer.
const API_VERSION: &str = "v1.5.6";

/// Registers functions and settings on the database that loads the extension.
pub struct Registrar {
    outside: Outside,
    database: sys::duckdb_database,
    connection: sys::duckdb_connection,
    extra_info: ExtraInfo,
}

impl Registrar {
    /// Stores a value for the functions registered from here on, which find it in their
    /// [`super::Settings`]. Each database has its own.
    pub fn keep(&mut self, value: impl Any + Send + Sync) {
        self.extra_info = ExtraInfo::new(value);
    }

    /// Runs a query and ignores its result; returns its error if it fails.
    pub fn query(&self, sql: &str) -> std::result::Result<(), String> {
        // SAFETY: all zeros are an empty result, which DuckDB fills in and which is destroyed once;
        // the message belongs to it and is copied before.
        unsafe {
            let mut result: sys::duckdb_result = std::mem::zeroed();
            let state =
                self.outside.duckdb_query(self.connection, c_name(sql).as_ptr(), &mut result);
            let outcome = if state == sys::DuckDBSuccess {
                Ok(())
            } else {
                let message = self.outside.duckdb_result_error(&mut result);
                Err(if message.is_null() {
                    String::new()
                } else {
                    CStr::from_ptr(message).to_string_lossy().into_owned()
                })
            };
            self.outside.duckdb_destroy_result(&mut result);
            outcome
        }
    }

    /// Tells whether every one of some statements can be planned; runs none of them.
    pub fn can_plan(&self, statements: &[String]) -> bool {
        // SAFETY: the text outlives the call that parses it; what is made is destroyed once.
        unsafe {
            let mut parsed = ptr::null_mut();
            let text = c_name(&statements.join(";"));
            let count =
                self.outside.duckdb_extract_statements(self.connection, text.as_ptr(), &mut parsed);
            let can = usize::try_from(count) == Ok(statements.len())
                && (0..count).all(|index| {
                    let mut planned = ptr::null_mut();
                    let state = self.outside.duckdb_prepare_extracted_statement(
                        self.connection,
                        parsed,
                        index,
                        &mut planned,
                    );
                    self.outside.duckdb_destroy_prepare(&mut planned);
                    state == sys::DuckDBSuccess
                });
            self.outside.duckdb_destroy_extracted(&mut parsed);
            can
        }
    }

    /// Registers a setting.
    pub fn option(&self, option: &ConfigOption) -> Result<()> {
        // SAFETY: the connection is open as long as the registrar exists.
        let state = unsafe { option::register(&self.outside, self.connection, option) };
        registered(state, "setting", option.name)
    }

    /// Registers a table function.
    pub fn table<F: TableFunction>(&self) -> Result<()> {
        // SAFETY: as above.
        let state =
            unsafe { table::register::<F>(&self.outside, self.connection, &self.extra_info) };
        registered(state, "table function", F::NAME)
    }

    /// Registers a scalar function.
    pub fn scalar<F: ScalarFunction>(&self) -> Result<()> {
        // SAFETY: as above.
        let state = unsafe {
            scalar_callbacks::register::<F>(&self.outside, self.connection, &self.extra_info)
        };
        registered(state, "scalar function", F::NAME)
    }

    /// Registers a replacement scan, which is tried after those of DuckDB itself.
    pub fn replacement<R: ReplacementScan>(&self) {
        // SAFETY: the database is live while it loads the extension.
        unsafe { replacement::register::<R>(&self.outside, self.database) }
    }
}

fn registered(state: sys::duckdb_state, what: &str, name: &str) -> Result<()> {
    if state == sys::DuckDBSuccess {
        return Ok(());
    }
    Err(Error::tool_failed(format!("DuckDB did not register the {what} {name}")))
}

impl Drop for Registrar {
    fn drop(&mut self) {
        // A connection left open would keep the database's file locked after it is closed.
        // SAFETY: open until here, closed once.
        unsafe { api().duckdb_disconnect(ptr::from_mut(&mut self.connection)) }
    }
}

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
        crate::functions::register(&mut Registrar {
            // SAFETY: called by DuckDB, and `connect` has taken its functions.
            outside: unsafe { Outside::enter() },
            database,
            connection,
            extra_info: ExtraInfo::new(()),
        })
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
