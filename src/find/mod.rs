//! Finding files and texts: which names are ignored or asked for, and the lines of a content that match.
//!
//! Pure: rules and contents come in as bytes. Patterns of paths have git's meaning; ripgrep's crates match lines.

mod glob;
mod ignored;
mod query;

pub use glob::Glob;
pub use ignored::{IGNORE_FILE, Ignored};
pub use query::{Query, QueryOptions, shortened};
