//! What may be read and written: DuckDB's own limits and the named roots.

pub(crate) mod access;
pub(crate) mod policy;
pub(crate) mod ref_limit;
pub(crate) mod rel_path;
pub(crate) mod run_names;
pub(crate) mod sandboxes;
pub(crate) mod setting;
pub(crate) mod spelling;
