//! `redline` answers "what changed?" from SQL: a DuckDB loadable extension.
//!
//! This crate is what DuckDB sees. The work is in the crates below it, one a directory of `src`,
//! each of which uses only those that `docs/architecture.md` allows.

mod ffi;
mod functions;
