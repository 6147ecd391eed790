//! `redline` answers "what changed?" from SQL: a DuckDB loadable extension.
//!
//! Layers, top to bottom; each uses only what stands below it (`docs/architecture.md` has the
//! table, and a test reads `src/**` and fails when an arrow runs the wrong way):
//!
//! | module | holds |
//! |---|---|
//! | `functions` | one file per SQL function family: parameters, columns, thin adapter |
//! | `query` | the work: typed requests in, ordered rows out |
//! | `ffi` | DuckDB's C API: all `unsafe`, nothing about diffs |
//! | [`tools`] | pure: the registry of tools that agents call, their arguments and answers |
//! | [`render`] | pure: what a person sees: approvals as the boxes of a terminal |
//! | [`review`] | pure: a change page by page within a budget of bytes |
//! | [`edit`] | pure: edits of a file, the payload a person decides on, approvals |
//! | [`git`] | the only user of gix: repositories, revisions, the tree walk, changed files |
//! | [`sandbox`] | which paths may be read and written: DuckDB's limits, the named roots |
//! | [`text`] | pure: lines, the diff engine, hunks, the unified writer |
//! | `pipeline` | pure: ordered parallel work with a bounded window |
//! | [`budget`] | pure: what a query may use of time and memory, and whether it is cancelled |
//! | `pattern` | pure: regular expressions whose matching ends with the query |
//! | `find` | pure: ignored files, globs, and lines that match a pattern |
//! | [`form`] | pure: what a text costs in an answer |
//! | `strict_json` | pure: JSON whose objects have no key twice |
//! | `suggest` | pure: the nearest names to one that was not found |
//! | [`error`], [`limits`] | the error codes and every limit by name |

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
