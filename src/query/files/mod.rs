//! The work of the file tools: each call is planned (`planned_operation`, `planned_patch`, `undo`),
//! a person is asked if the sandbox says so (`question`), and the result is written and recorded
//! (`recorded`).

mod file_tools;
pub(super) mod hidden_call;
mod patch_paths;
mod patch_tools;
mod planned_operation;
mod planned_patch;
mod question;
mod recorded;
mod taking_back;
mod undo;

pub use file_tools::FileTools;
pub use taking_back::Chosen;
