//! The functions over files of sandboxes.

pub mod edit_explain;
pub mod edit_file;
pub mod file_tools;
pub mod planned;
pub mod read_file;
pub mod write_file;
