//! What a database gets as it loads the extension: settings, functions, replacement scans.

use std::any::Any;
use std::ffi::CStr;
use std::ptr;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::extra_info::ExtraInfo;
use super::option::{self, ConfigOption};
use super::replacement::{self, ReplacementScan};
use super::scalar::ScalarFunction;
use super::scalar_callbacks;
use super::table::{self, TableFunction};
use super::types::c_name;
use redline_base::error::{Error, Result};

/// Registers functions and settings on the database that loads the extension.
pub struct Registrar {
    outside: Outside,
    database: sys::duckdb_database,
    connection: sys::duckdb_connection,
    extra_info: ExtraInfo,
}

impl Registrar {
    /// Returns the registrar of a database that loads the extension; the open connection is its own
    /// from here on.
    pub(super) fn new(
        outside: Outside,
        database: sys::duckdb_database,
        connection: sys::duckdb_connection,
    ) -> Self {
        Self { outside, database, connection, extra_info: ExtraInfo::new(()) }
    }

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
