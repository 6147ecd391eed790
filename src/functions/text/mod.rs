//! The functions over texts and patches, one per file. Shared: the parameters of two texts
//! (`sides`), reading a patch (`patches`), and merging (`merges`).

pub mod apply_patch;
pub mod data_changes;
pub mod data_history_sql;
pub mod data_rows;
pub mod diff_files;
pub mod diff_rows;
pub mod diff_stats;
pub mod diff_texts;
pub mod inline_diff;
pub mod merge_conflicts;
pub mod merge_texts;
pub mod merges;
pub mod patch_files;
pub mod patch_hunks;
pub mod patch_id;
pub mod patches;
pub mod reverse_patch;
pub mod sides;
pub mod table_changes_sql;
pub mod unified_diff;
