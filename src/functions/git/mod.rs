//! The functions over repositories, one per file. Most are a `RepositoryTable` or a
//! `RepositoryScalar`; they share the columns of commits (`commit_range`), twins that return
//! lists (`listed`), and ranges as table names (`range_scan`).

pub mod ahead_behind;
pub mod commit_changes;
pub mod commit_range;
pub mod commits;
pub mod diff_html;
pub mod diff_hunks;
pub mod diff_lines;
pub mod diff_review;
pub mod file_at;
pub mod file_blame;
pub mod file_changes;
pub mod file_content;
pub mod file_diff;
pub mod file_history;
pub mod file_outline;
pub mod file_patches;
pub mod file_status;
pub mod line_history;
pub mod listed;
pub mod merge_base;
pub mod merge_bases;
pub mod moved_lines;
pub mod range_diff;
pub mod range_scan;
pub mod reflog;
pub mod refs;
pub mod refs_containing;
pub mod repository_scalar;
pub mod resolve_revision;
pub mod revision_scan;
pub mod tree_blame;
pub mod tree_files;
