//! The functions over files of sandboxes, one file each; their work is in `query::files`.

pub mod edit_explain;
pub mod edit_file;
pub mod edit_files;
pub mod edit_lines;
pub mod git_commit;
pub mod git_restore;
pub mod read_file;
pub mod redline_log;
pub mod revert_edit;
pub mod write_file;

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;
use crate::functions::surface::table::table;

/// The functions, in the order in which help lists them.
pub const FUNCTIONS: &[FunctionEntry] = &[
    scalar::<read_file::ReadFile>(),
    scalar::<write_file::WriteFile>(),
    scalar::<edit_file::EditFile>(),
    scalar::<edit_lines::EditLines>(),
    scalar::<edit_files::EditFiles>(),
    table::<edit_explain::EditExplain>(),
    table::<redline_log::RedlineLog>(),
    scalar::<revert_edit::RevertEdit>(),
    scalar::<revert_edit::RevertEdits>(),
    scalar::<git_commit::GitCommit>(),
    scalar::<git_commit::GitStage>(),
    scalar::<git_commit::GitUnstage>(),
    scalar::<git_restore::GitRestore>(),
];
