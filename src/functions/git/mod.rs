//! The scalar functions over repositories, one per file; most are a `RepositoryScalar`. The table
//! functions are the questions of `query`. Here are their twins that return lists (`listed`), and
//! ranges and files at revisions as table names (`range_scan`, `revision_scan`).

pub mod ahead_behind;
pub mod diff_html;
pub mod file_at;
pub mod file_content;
pub mod listed;
pub mod merge_base;
pub mod merge_bases;
pub mod range_scan;
pub mod repository_scalar;
pub mod resolve_revision;
pub mod revision_scan;
