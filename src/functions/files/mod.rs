//! The functions over files of sandboxes, one file each. `file_tools` is what they and the tools of the same names do,
//! by plans (`planned`) that are approved or refused.

pub mod edit_explain;
pub mod edit_file;
pub mod file_tools;
pub mod parameters;
pub mod planned_operation;
pub mod read_file;
pub mod write_file;
