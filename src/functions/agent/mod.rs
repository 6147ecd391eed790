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

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;
use crate::functions::surface::table::table;

/// The functions, in the order in which help lists them.
pub const FUNCTIONS: &[FunctionEntry] = &[
    table::<redline_help::RedlineHelp>(),
    scalar::<redline_sql::RedlineSql>(),
    table::<redline_tools::RedlineTools>(),
    scalar::<redline_call::RedlineCall>(),
    scalar::<redline_call::RedlineCallText>(),
    table::<redline_capabilities::Capabilities>(),
];
