//! The functions over files of sandboxes, one per file. `file_tools` is the work shared with the
//! tools of the same names: they make plans (`planned_operation`, `planned_patch`), which are
//! approved or refused; `patch_tools` changes several files at once.

pub mod edit_explain;
pub mod edit_file;
pub mod edit_files;
pub mod edit_lines;
pub mod file_tools;
mod hidden_call;
pub mod parameters;
mod patch_tools;
pub mod planned_operation;
pub mod planned_patch;
mod question;
pub mod read_file;
pub mod redline_log;
pub mod revert_edit;
pub mod taking_back;
mod undo;
pub mod write_file;
