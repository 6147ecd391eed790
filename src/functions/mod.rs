//! The SQL functions, one file per family: parameters, columns and a thin adapter to the core.

mod approval_display;
mod arguments;
mod comparison;
#[cfg(debug_assertions)]
mod debug_panic;
mod diff_tool;
mod edit_file;
mod file_changes;
mod file_diff;
mod file_patches;
mod file_tools;
mod grants;
mod host;
mod line_rows;
mod patches;
mod range_scan;
mod reading;
mod settings;
mod stream;
mod text_diffs;
mod tool_calls;
mod unified_diff;

use crate::error::Result;
use crate::ffi::Registrar;

/// Registers every setting and function on the database that loads the extension.
pub fn register(registrar: &Registrar) -> Result<()> {
    settings::register(registrar)?;
    registrar.table::<file_changes::FileChanges>()?;
    registrar.scalar::<file_changes::FileChangesList>()?;
    registrar.replacement::<range_scan::RangeScan>();
    registrar.table::<file_diff::FileDiff>()?;
    registrar.scalar::<file_diff::FileDiffList>()?;
    registrar.table::<file_diff::DiffLines>()?;
    registrar.table::<file_patches::FilePatches>()?;
    registrar.table::<file_patches::DiffHunks>()?;
    registrar.scalar::<unified_diff::UnifiedDiff>()?;
    registrar.scalar::<diff_tool::DiffText>()?;
    registrar.scalar::<diff_tool::DiffFiles>()?;
    registrar.scalar::<file_tools::ReadFile>()?;
    registrar.scalar::<file_tools::WriteFile>()?;
    registrar.scalar::<edit_file::EditFile>()?;
    registrar.table::<tool_calls::RedlineTools>()?;
    registrar.scalar::<tool_calls::RedlineCall>()?;
    registrar.scalar::<tool_calls::RedlineCallText>()?;
    registrar.scalar::<text_diffs::DiffStats>()?;
    registrar.scalar::<text_diffs::DiffRows>()?;
    registrar.scalar::<text_diffs::InlineDiff>()?;
    registrar.scalar::<patches::PatchFiles>()?;
    registrar.scalar::<patches::PatchHunks>()?;
    registrar.scalar::<patches::ApplyPatch>()?;
    registrar.scalar::<patches::ReversePatch>()?;
    registrar.scalar::<approval_display::ApprovalDisplay>()?;
    registrar.scalar::<approval_display::ApprovalPaging>()?;
    #[cfg(debug_assertions)]
    {
        registrar.scalar::<debug_panic::Panic>()?;
        registrar.table::<debug_panic::PanicScan>()?;
    }
    Ok(())
}
