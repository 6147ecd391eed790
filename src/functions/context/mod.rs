//! What an execution may do: the settings, the grants, the state of the database, and reading a file that an argument names.

pub mod database;
pub mod grants;
pub mod host;
pub mod reading;
pub mod settings;
