//! What agents and their hosts call: tools (`redline_call`; `tools` has them all, `entry` what each is, `file_answers`,
//! `find_answers`, `git_answers`, `history_answers`, `log_answers` and `revision_answers` what they do, `missing_file` why they lack a file), their list, what may be done, help, and the scripts of
//! `sql/`.

pub mod entry;
mod file_answers;
mod find_answers;
mod git_answers;
mod history_answers;
mod log_answers;
mod missing_file;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
mod revision_answers;
pub mod tools;
