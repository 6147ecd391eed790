//! Functions for agents and their hosts: the tools (`redline_call`; `entry` joins a
//! declaration to its work, which `file_answers`, `git_answers` and `reading_answers` call in
//! `query`), their list, what may be done, help, and the scripts of `sql/`.

pub mod entry;
mod file_answers;
mod git_answers;
mod macro_help;
mod reading_answers;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
