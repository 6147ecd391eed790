//! The graph of commits: `commit_links` (parents and times), `walk` (the commits of a range in
//! git's order), `date_order` (children before their parents), `simplify` (the history of given
//! paths) and `merge_base`.

pub mod commit_links;
pub mod date_order;
pub mod merge_base;
mod simplify;
pub mod walk;
