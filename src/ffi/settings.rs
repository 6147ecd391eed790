//! The host's settings, read when a scan or a scalar function opens, never in bind.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use libduckdb_sys as sys;

use super::api::{Outside, api};
use super::client_context::ClientContext;
use super::extra_info::ExtraInfo;
use super::file_system::FileSystem;
use super::types::c_name;
use super::value;
use redline_rows::params::Value;

/// A setting that is read only while another one is off, which precedes it in the lists of names.
/// DuckDB does not lock `allowed_directories`: reading it while it is set crashes. Once external
/// access is off it cannot be set.
const ONLY_WHILE_OFF: (&str, &str) = ("allowed_directories", "enable_external_access");

/// The number of threads that DuckDB may use.
pub const THREADS: &str = "threads";

/// The values of settings at one moment, the file system with the host's limits, and the
/// extension's data for the database.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    values: HashMap<&'static str, Value>,
    /// Those that the connection has set only for itself.
    own: HashSet<&'static str>,
    files: Option<FileSystem>,
    connection: u64,
    extra_info: Option<ExtraInfo>,
}

impl Settings {
    /// Reads the named settings.
    pub fn read(
        context: &Arc<ClientContext>,
        outside: &Outside,
        names: &[&'static str],
        extra_info: ExtraInfo,
    ) -> Self {
        let mut read = Self { extra_info: Some(extra_info), ..Self::default() };
        if context.raw().is_null() {
            return read;
        }
        let (setting, condition) = ONLY_WHILE_OFF;
        for &name in names {
            if name == setting && *read.get(condition) == Value::Boolean(true) {
                continue;
            }
            let key = c_name(name);
            let mut scope: sys::duckdb_config_option_scope = 0;
            // SAFETY: the context lives as long as the statement that holds it; the returned value
            // is ours, or null for an unknown name.
            let value = unsafe {
                let (context, key) = (context.raw(), key.as_ptr());
                let raw = outside.duckdb_client_context_get_config_option(context, key, &mut scope);
                value::take(outside, raw)
            };
            read.values.insert(name, value);
            if scope == sys::duckdb_config_option_scope_DUCKDB_CONFIG_OPTION_SCOPE_SESSION {
                read.own.insert(name);
            }
        }
        // SAFETY: the context is live, as above.
        read.connection = unsafe { api().duckdb_client_context_get_connection_id(context.raw()) };
        read.files = Some(FileSystem(Arc::clone(context)));
        read
    }

    /// Returns a setting's value; NULL if the host does not know the name.
    ///
    /// # Panics
    /// In debug builds for one that was not read: the function that asks does not declare it.
    pub fn get(&self, name: &str) -> &Value {
        debug_assert!(
            self.files.is_none() || self.values.contains_key(name) || name == ONLY_WHILE_OFF.0,
            "the setting {name} is not among SETTINGS of the function"
        );
        self.values.get(name).unwrap_or(&Value::Null)
    }

    /// Returns the value for all connections; NULL if this one has set its own, or the host does
    /// not know the name.
    pub fn global(&self, name: &str) -> &Value {
        if self.own.contains(name) { &Value::Null } else { self.get(name) }
    }

    /// Returns the number of threads of a query, at least one: [`THREADS`], if it was read.
    pub fn threads(&self) -> usize {
        let threads = self.values.get(THREADS).and_then(Value::as_integer).unwrap_or(1);
        usize::try_from(threads).unwrap_or(1).max(1)
    }

    /// Returns the value stored at registration, if it is of this type.
    pub fn extra_info<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.extra_info.as_ref()?.get()
    }

    /// Returns DuckDB's number of the connection.
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Returns the connection's file system, if there is a connection.
    pub fn files(&self) -> Option<&FileSystem> {
        self.files.as_ref()
    }
}
