//! The state of an open database. It is not shared with other databases of the process and ends
//! with the database.

use std::sync::Arc;

use crate::edit::Calls;
use crate::error::{Error, Result};
use crate::ffi::Settings;
use crate::functions::surface::Entry;
use crate::git::Repositories;
use crate::query::caller::DatabaseState;

/// The state of one database.
#[derive(Default)]
pub struct Database {
    /// The state of the file tools.
    pub state: Arc<DatabaseState>,
    /// The counts of tool calls.
    pub calls: Calls,
    /// The cache of open repositories.
    pub repositories: Arc<Repositories>,
    /// The functions that are registered on it.
    pub functions: &'static [Entry],
    /// The names of the tools that can be granted.
    pub tools: Vec<&'static str>,
}

impl Database {
    /// Returns the state of an empty database on which `functions` are registered.
    pub fn new(functions: &'static [Entry], tools: Vec<&'static str>) -> Self {
        Self { functions, tools, ..Self::default() }
    }

    /// Returns the state of the database that a function is called on.
    pub fn of(settings: &Settings) -> Result<Arc<Self>> {
        settings
            .extra_info()
            .ok_or_else(|| Error::tool_failed("redline is not loaded in this database"))
    }
}
