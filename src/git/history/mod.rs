//! Histories of contents: `blame` (whose each line is), `follow` (the commits that changed one file), `line_log` (those that
//! changed some of its lines), `commit_changes` (the files that each commit changed), `words` (the commits whose message or
//! author matches), `notes` and `mailmap`.

pub mod blame;
pub mod commit_changes;
pub mod follow;
pub mod line_log;
pub mod mailmap;
pub mod notes;
pub mod words;
