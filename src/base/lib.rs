//! What every other crate of redline uses, and what knows nothing of files, repositories or DuckDB.

pub mod budget;
pub mod error;
pub mod form;
pub mod growth;
pub mod limits;
pub mod os_path;
pub mod pattern;
pub mod pipeline;
pub mod strict_json;
pub mod suggest;
