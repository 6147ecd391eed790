//! The parameters that several questions to repositories have: two sides and how they are compared
//! (`comparison`), a range of commits (`range`), and how these are read (`kinds`).

pub mod comparison;
mod kinds;
pub mod range;

pub use comparison::{FILE, FROM, IGNORE_WHITESPACE, PATHS, REPO, REVISION, TO};
pub use kinds::{CONTEXT, Moment, TOTAL_CONTEXT};
