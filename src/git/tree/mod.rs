//! Trees: `tree_lookup` (one path in a tree) and `walk` (the bytes of a tree, and the comparison of
//! two).

pub mod tree_lookup;
pub mod walk;
