//! Histories of contents: `blame` (the commit of each line), `follow` (the commits that changed one
//! file), `line_log` (the commits that changed some of its lines), `commit_changes` (the changed
//! files of each commit), `words` (the commits with a matching message or author), `notes`,
//! `mailmap`, `commit_patch_id`, and `range_patch` (a commit as a text that is compared with other
//! versions of it).

pub mod blame;
pub mod commit_changes;
pub mod commit_patch_id;
pub mod follow;
pub mod line_log;
pub mod mailmap;
pub mod notes;
pub mod range_patch;
pub mod words;
