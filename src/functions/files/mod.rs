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
