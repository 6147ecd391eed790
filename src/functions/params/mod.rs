//! Arguments: revisions, named options, texts, sessions.

pub mod arguments;
pub mod comparison;
pub mod row_options;
