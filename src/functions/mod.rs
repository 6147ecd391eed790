//! The SQL functions. Each is one file: its declaration and a thin adapter to the core.
//!
//! - `surface`: what a declaration is, and the registry, which lists every function once
//! - `context`: settings, grants, the state of the database, reading a file that an argument names
//! - `params`: revisions, named options, texts
//! - `git`, `text`, `files`, `approvals`, `agent`, `debug`: the functions, by family

mod agent;
mod approvals;
mod context;
#[cfg(debug_assertions)]
mod debug;
mod files;
mod git;
mod params;
mod surface;
mod text;

use crate::error::Result;
use crate::ffi::Registrar;

/// Registers every setting and function on the database that loads the extension.
pub fn register(registrar: &mut Registrar) -> Result<()> {
    registrar.keep(context::database::Database::default());
    // Later, threads may read repositories alone.
    crate::git::local_time_zone();
    context::settings::register(registrar)?;
    registrar.replacement::<git::range_scan::RangeScan>();
    surface::FUNCTIONS.iter().try_for_each(|function| function.register(registrar))
}
