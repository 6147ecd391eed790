//! Trees: `entries` (the bytes of one), `tree_lookup` (one path in a tree) and `walk` (the
//! comparison of two).

pub mod entries;
pub mod tree_lookup;
pub mod walk;
