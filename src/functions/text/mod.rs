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

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;

/// The functions, in the order in which help lists them.
pub const FUNCTIONS: &[FunctionEntry] = &[
    scalar::<unified_diff::UnifiedDiff>(),
    scalar::<diff_stats::DiffStats>(),
    scalar::<diff_rows::DiffRows>(),
    scalar::<inline_diff::InlineDiff>(),
    scalar::<diff_texts::DiffTexts>(),
    scalar::<diff_files::DiffFiles>(),
    scalar::<patch_files::PatchFiles>(),
    scalar::<patch_hunks::PatchHunks>(),
    scalar::<patch_id::PatchId>(),
    scalar::<apply_patch::ApplyPatch>(),
    scalar::<apply_patch::TryApplyPatch>(),
    scalar::<reverse_patch::ReversePatch>(),
    scalar::<merge_texts::MergeTexts>(),
    scalar::<merge_conflicts::MergeConflicts>(),
    scalar::<table_changes_sql::TableChangesSql>(),
    scalar::<data_rows::DataRows>(),
    scalar::<data_changes::DataChangesOfTexts>(),
    scalar::<data_history_sql::DataHistorySql>(),
];
