//! Finding files and texts: which names are ignored or asked for, and the lines of a content that match.
//!
//! Pure: rules and contents come in as bytes. ripgrep's crates parse and match, and open no file.

mod ignored;
mod query;

pub use ignored::{Glob, IGNORE_FILES, Ignored};
pub use query::{Query, QueryOptions, shortened};
