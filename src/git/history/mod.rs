//! Histories: `walk` (the commits of a range in git's order), `commit_links` (parents and times), `commit` (the bytes of
//! one), `simplify` (the history of some paths), `notes`, `blame` (whose each line is), `follow` (the commits that
//! changed one file), `line_log` (those that changed some of its lines), `words` (those whose message or author matches), `mailmap`, `merge_base` and `commit_changes` (the files that each commit changed).

pub mod blame;
pub mod commit;
pub mod commit_changes;
pub mod commit_links;
pub mod follow;
pub mod line_log;
pub mod mailmap;
pub mod merge_base;
pub mod notes;
mod simplify;
pub mod walk;
pub mod words;
