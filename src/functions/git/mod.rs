//! The functions over repositories.

pub mod commit_changes;
pub mod diff_review;
pub mod file_changes;
pub mod file_diff;
pub mod file_patches;
pub mod line_rows;
pub mod range_scan;
pub mod resolve_revision;
pub mod review;
