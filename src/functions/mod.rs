//! The SQL functions. Each is one file: its declaration and a thin adapter to the core.
//!
//! - `registry`, `tools`: every function and every tool, once
//! - `surface`: what a declaration is
//! - `context`: settings, grants, the state of the database, reading a file named in an argument
//! - `params`: declared parameters, named options, texts
//! - `git`, `text`, `files`, `approvals`, `agent`, `debug`: the functions, by family

mod agent;
mod approvals;
mod context;
#[cfg(debug_assertions)]
mod debug;
mod files;
mod git;
mod params;
mod registry;
mod surface;
mod text;
mod tools;

use crate::ffi::Registrar;
use redline_base::error::{Error, Result};

/// Registers every setting and function on the database that loads the extension.
pub fn register(registrar: &mut Registrar) -> Result<()> {
    refuse_names_that_are_taken(registrar)?;
    let tools = tools::TOOLS.iter().map(|tool| tool.declaration).collect();
    registrar.keep(context::database::Database::new(registry::FUNCTIONS, tools));
    // Later, threads can read only repositories.
    redline_git::local_time_zone();
    context::settings::register(registrar)?;
    registrar.replacement::<git::range_scan::RangeScan>();
    registrar.replacement::<git::revision_scan::RevisionScan>();
    registry::FUNCTIONS.iter().try_for_each(|function| (function.register)(registrar))
}

/// Refuses to share a function's name with another extension: which of the two a call reaches
/// depends on the version of DuckDB and on the order of loading, and in some versions no call
/// reaches either.
///
/// To list the functions takes DuckDB some 40 ms of processor time, so it is asked first whether
/// there is anything to find. To plan a DROP looks a name up among all functions and macros of a
/// schema, and fails where it finds one, since all those of `system.main` are internal. In both
/// versions that is the only look-up by name that passes over a name that is free: the catalog's
/// C API knows no functions, a call of an unknown function makes DuckDB search for similar names,
/// and the list of loaded extensions is locked while one is loaded.
fn refuse_names_that_are_taken(registrar: &Registrar) -> Result<()> {
    const FOUND: &str = "these names are taken: ";
    let names = || registry::FUNCTIONS.iter().map(|function| function.declaration.name);
    let drops: Vec<_> =
        names().map(|name| format!("DROP MACRO IF EXISTS system.main.\"{name}\"")).collect();
    // For this connection alone, which only registers.
    if registrar.query("PRAGMA disable_optimizer").is_ok() && registrar.can_plan(&drops) {
        return Ok(());
    }
    let names: Vec<String> = names().map(|name| format!("'{name}'")).collect();
    let taken = registrar.query(&format!(
        "SELECT error('{FOUND}' || string_agg(DISTINCT function_name, ', ' ORDER BY function_name)) \
         FROM duckdb_functions() \
         WHERE database_name = 'system' AND schema_name = 'main' AND function_name IN ({}) \
         HAVING count(*) > 0",
        names.join(", ")
    ));
    match taken.as_ref().map_err(|error| error.split_once(FOUND)) {
        Err(Some((_, names))) => Err(Error::tool_failed(format!(
            "redline cannot be loaded: another extension has functions of the same name: {}",
            names.trim_end()
        ))
        .with_hint("Load redline into a database without that extension")),
        // Any other failure is not about names.
        Ok(()) | Err(None) => Ok(()),
    }
}
