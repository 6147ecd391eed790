//! The graph of commits: `commit_links` (parents and times), `walk` (the commits of a range in git's order), `simplify`
//! (the history of some paths) and `merge_base`.

pub mod commit_links;
pub mod merge_base;
mod simplify;
pub mod walk;
