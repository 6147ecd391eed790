//! Finding files and texts: which names are ignored or selected, and the matching lines of a
//! content.
//!
//! Pure: rules and contents come in as bytes. Path patterns have git's meaning; ripgrep's crates
//! match lines.

mod glob;
mod ignored;
mod query;

pub use glob::Glob;
pub use ignored::{IGNORE_FILE, Ignored};
pub use query::{Query, QueryOptions, shortened};
