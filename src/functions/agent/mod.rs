//! Functions for agents and their hosts: the tools (`redline_call`; `file_answers` does the work of
//! those that need the host's settings), their list, what may be done, help, and the scripts of
//! `sql/`.

mod file_answers;
mod macro_help;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
