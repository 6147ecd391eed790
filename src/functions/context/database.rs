//! The state of an open database. It is not shared with other databases of the process and ends
//! with the database.

use std::sync::Arc;

use crate::edit::{Approvals, Calls, Repeats};
use crate::error::{Error, Result};
use crate::ffi::Settings;
use crate::functions::surface::Entry;
use crate::git::Repositories;
use crate::journal::{Looked, Memory};

/// The state of one database.
#[derive(Default)]
pub struct Database {
    /// Operations that wait for a person, and decisions.
    pub approvals: Approvals,
    /// The counts of tool calls.
    pub calls: Calls,
    /// The edits that statements have made.
    pub repeats: Repeats,
    /// The operations on files, if no directory is set for them.
    pub operations: Memory,
    /// The time at which the journal's directory was last shortened.
    pub looked: Looked,
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
