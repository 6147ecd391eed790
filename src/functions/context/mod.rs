//! The rights of an execution: the settings, the grants, the state of the database, and reading a
//! file named in an argument.

pub mod database;
pub mod execution_context;
pub mod file_input;
pub mod grants;
pub mod opened;
pub mod settings;
