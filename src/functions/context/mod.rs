//! The rights of an execution: the settings, the grants, the state of the database, reading a file
//! named in an argument, and the comparison of two for SQL functions and the tool `Diff`
//! (`diff_tool`).

pub mod database;
pub mod diff_tool;
pub mod execution_context;
pub mod file_input;
pub mod opened;
pub mod settings;
