//! Functions of debug builds, which tests call.

pub mod debug_columns;
pub mod debug_edits;
pub mod debug_grants;
pub mod debug_panic;
pub mod debug_refuse;
