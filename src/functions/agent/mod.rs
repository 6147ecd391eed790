//! Functions for agents and their hosts: the tools (`redline_call`; `file_answers`, `git_answers`
//! and `reading_answers` call their work in `query`), their list, what may be done, help, and the
//! scripts of `sql/`.

mod file_answers;
mod git_answers;
mod macro_help;
mod reading_answers;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
