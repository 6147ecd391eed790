//! Trees: `entries` (the bytes of one), `tree_lookup` (one path in a tree), `walk` (the comparison of two), `pathspec`
//! and `glob` (which paths a comparison covers).

pub mod entries;
pub mod glob;
pub mod pathspec;
pub mod tree_lookup;
pub mod walk;
