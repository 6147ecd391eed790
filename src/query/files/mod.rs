//! The work of the file tools: each tool makes a change set of the current files (`planned`, by
//! `reading`, `writing`, `editing`, `patching`, `restoring`, `committing`, `undo` and `uncommitting`); `change` has a person asked if the
//! sandbox says so (`approval_check`), and writes and records the result (`recorded`).

mod approval;
mod approval_check;
pub(super) mod blind_call;
mod change;
mod committing;
mod diff_text;
mod editing;
mod file_tools;
mod git_call;
mod git_place;
mod patch_paths;
mod patching;
mod planned;
mod planned_git;
mod reading;
mod recorded;
mod restoring;
mod reverting;
mod selected_hunks;
mod uncommitting;
mod undo;
mod writing;

pub use committing::{CommitArguments, GitAction, What};
pub use file_tools::FileTools;
pub use restoring::RestoreArguments;
pub use reverting::Chosen;
