//! `redline` answers "what changed?" from SQL: a DuckDB loadable extension.
//!
//! Its modules are layers, each of which uses only those below it: `docs/architecture.md` describes
//! them, and a test reads `src/**` and fails if a module uses one above it.

pub mod budget;
pub mod edit;
pub mod error;
mod ffi;
mod find;
pub mod form;
mod functions;
pub mod git;
#[cfg(test)]
mod growth;
pub mod journal;
pub mod limits;
mod pattern;
mod pipeline;
mod query;
pub mod render;
pub mod review;
pub mod sandbox;
mod strict_json;
mod suggest;
pub mod text;
pub mod tools;
