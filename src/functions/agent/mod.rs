//! Functions for agents and their hosts: the tools (`redline_call`; `tools` lists them all, `entry`
//! joins a declaration to its work, which is in `list_files`, `search`, `file_answers`,
//! `git_answers`, `history_answers`, `log_answers`, `revision_answers` and `series_answers`;
//! `missing_file` explains a missing file), their list, the capabilities, help, and the scripts of
//! `sql/`.

pub mod entry;
mod file_answers;
mod git_answers;
mod history_answers;
mod list_files;
mod log_answers;
mod macro_help;
mod missing_file;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
mod revision_answers;
mod search;
mod series_answers;
pub mod tools;
