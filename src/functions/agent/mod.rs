//! What agents and their hosts call: tools (`redline_call`, with the answers of the git tools in `git_tools`), their list,
//! what may be done, help, and the scripts of `sql/`.

pub mod git_tools;
pub mod redline_call;
pub mod redline_capabilities;
pub mod redline_help;
pub mod redline_sql;
pub mod redline_tools;
