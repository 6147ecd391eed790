//! The boundary to DuckDB's C extension API v1.5.6, and the only home of `unsafe`.
//!
//! It knows nothing of diffs or git. A function is described by a safe trait ([`TableFunction`],
//! [`ScalarFunction`], [`ReplacementScan`]); this module turns it into callbacks that keep three
//! promises:
//!
//! 1. **A Rust panic never crosses into DuckDB.** Domain code runs inside `contain::run`, which
//!    turns a panic into a SQL error.
//! 2. **A C++ exception of DuckDB passes through.** Callbacks and every API pointer are
//!    `extern "C-unwind"`, and no API call that may throw runs inside `catch_unwind` (which would
//!    abort on a foreign exception): such calls are methods of `api::Outside`, which `contain::run`
//!    borrows. So each callback has two halves: compute plain Rust values inside, write vectors
//!    outside.
//! 3. **Bind data is immutable.** Whatever can change between PREPARE and EXECUTE (settings,
//!    branches, files) is read when a scan opens.
//!
//! A function of DuckDB that only allocates a small, fixed number of bytes counts as quiet
//! (`api`): if the system lacks even these, Rust ends the process itself. Bind validates and does
//! no I/O; opening a scan reads the settings, resolves revisions and opens the repository. A scan
//! returns a chunk after 2,048 rows, 8 MiB of text or 20 ms, whichever comes first, because
//! DuckDB checks for a cancelled query only between chunks. Dropping the scan stops and joins its
//! threads. It is opened for its first chunk, by the one of DuckDB's threads that scans (`turn`):
//! the callback that makes it may run on another one, for which the first would wait in a loop.
//!
//! Statics are shared by all databases of a process: the table of API pointers (a second DuckDB
//! library in the process is refused), once-only flags, facts about the machine, counters of
//! workers and of kept bytes. None holds data of a database, which is registered with its
//! functions (`extra_info`).
#![allow(unsafe_code)]

mod any_vector;
mod api;
mod client_context;
mod contain;
mod entry;
mod extra_info;
mod file_system;
mod flat;
mod input;
mod kept;
mod moment;
mod option;
#[cfg(debug_assertions)]
mod refusal;
mod registrar;
mod replacement;
mod rows;
mod scalar;
mod scalar_callbacks;
mod settings;
mod table;
mod turn;
mod types;
mod value;
mod vector;

pub use api::host_version;
pub use file_system::FileError;
pub use option::{ConfigOption, Default as OptionDefault};
#[cfg(debug_assertions)]
pub use refusal::refuse;
pub use registrar::Registrar;
pub use replacement::ReplacementScan;
pub use scalar::{Arguments, Nulls, Overload, ScalarFunction, State};
pub use settings::{Settings, THREADS};
pub use table::{Open, Scan, TableFunction};
