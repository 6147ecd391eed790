//! Arguments: revisions, named options, texts, sessions.

pub mod arguments;
pub mod comparison;
pub mod named_options;
pub mod row_options;
