//! The SQL functions, one file per family: parameters, columns and a thin adapter to the core.

mod approval_display;
mod approval_lists;
mod approvals;
mod approve;
mod arguments;
mod capabilities;
mod commit_changes;
mod comparison;
mod database;
#[cfg(debug_assertions)]
mod debug_edits;
#[cfg(debug_assertions)]
mod debug_panic;
mod diff_review;
mod diff_tool;
mod edit_explain;
mod edit_file;
mod file_changes;
mod file_diff;
mod file_patches;
mod file_tools;
mod git_tools;
mod grants;
mod host;
mod line_rows;
mod patches;
mod planned;
mod range_scan;
mod read_file;
mod reading;
mod resolve_revision;
mod review;
mod settings;
mod stream;
mod text_diffs;
mod tool_calls;
mod unified_diff;
mod write_file;

use crate::error::Result;
use crate::ffi::Registrar;

/// Registers every setting and function on the database that loads the extension.
pub fn register(registrar: &mut Registrar) -> Result<()> {
    registrar.keep(database::Database::default());
    // Later, threads may read repositories alone.
    crate::git::local_time_zone();
    settings::register(registrar)?;
    registrar.table::<file_changes::FileChanges>()?;
    registrar.scalar::<file_changes::FileChangesList>()?;
    registrar.table::<commit_changes::CommitChangesTable>()?;
    registrar.replacement::<range_scan::RangeScan>();
    registrar.scalar::<resolve_revision::ResolveRevision>()?;
    registrar.table::<file_diff::FileDiff>()?;
    registrar.scalar::<file_diff::FileDiffList>()?;
    registrar.table::<file_diff::DiffLines>()?;
    registrar.scalar::<file_diff::DiffLinesList>()?;
    registrar.table::<file_patches::FilePatches>()?;
    registrar.table::<file_patches::DiffHunks>()?;
    registrar.table::<diff_review::DiffReview>()?;
    registrar.scalar::<unified_diff::UnifiedDiff>()?;
    registrar.scalar::<diff_tool::DiffText>()?;
    registrar.scalar::<diff_tool::DiffFiles>()?;
    registrar.scalar::<read_file::ReadFile>()?;
    registrar.scalar::<write_file::WriteFile>()?;
    registrar.scalar::<edit_file::EditFile>()?;
    registrar.table::<edit_explain::EditExplain>()?;
    registrar.table::<capabilities::Capabilities>()?;
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
    registrar.scalar::<approvals::NeedsApproval>()?;
    registrar.scalar::<approvals::ReadApproval>()?;
    registrar.scalar::<approvals::WriteApproval>()?;
    registrar.scalar::<approvals::EditApproval>()?;
    registrar.scalar::<approve::Approve>()?;
    registrar.scalar::<approve::ApprovalPages>()?;
    registrar.scalar::<approve::ApprovalFile>()?;
    registrar.scalar::<approve::Withdraw>()?;
    registrar.scalar::<approvals::ApprovalChunk>()?;
    registrar.table::<approval_lists::ApprovalsWaiting>()?;
    registrar.table::<approval_lists::ApprovalsGiven>()?;
    registrar.scalar::<approval_display::ApprovalDisplay>()?;
    registrar.scalar::<approval_display::ApprovalComplete>()?;
    registrar.scalar::<approval_display::ApprovalPaging>()?;
    #[cfg(debug_assertions)]
    {
        registrar.scalar::<debug_edits::Edits>()?;
        registrar.scalar::<debug_panic::Panic>()?;
        registrar.table::<debug_panic::PanicScan>()?;
    }
    Ok(())
}
