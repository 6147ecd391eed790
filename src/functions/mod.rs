//! The SQL functions, one file per family: parameters, columns and a thin adapter to the core.

mod agent;
mod approvals;
mod context;
#[cfg(debug_assertions)]
mod debug;
mod files;
mod git;
mod params;
mod surface;
mod text;

use crate::error::Result;
use crate::ffi::Registrar;

/// Registers every setting and function on the database that loads the extension.
pub fn register(registrar: &mut Registrar) -> Result<()> {
    registrar.keep(context::database::Database::default());
    // Later, threads may read repositories alone.
    crate::git::local_time_zone();
    context::settings::register(registrar)?;
    registrar.table::<git::file_changes::FileChanges>()?;
    registrar.scalar::<git::file_changes::FileChangesList>()?;
    registrar.table::<git::commit_changes::CommitChangesTable>()?;
    registrar.replacement::<git::range_scan::RangeScan>();
    registrar.scalar::<git::resolve_revision::ResolveRevision>()?;
    registrar.table::<git::file_diff::FileDiff>()?;
    registrar.scalar::<git::file_diff::FileDiffList>()?;
    registrar.table::<git::file_diff::DiffLines>()?;
    registrar.scalar::<git::file_diff::DiffLinesList>()?;
    registrar.table::<git::file_patches::FilePatches>()?;
    registrar.table::<git::file_patches::DiffHunks>()?;
    registrar.table::<git::diff_review::DiffReview>()?;
    registrar.scalar::<text::unified_diff::UnifiedDiff>()?;
    registrar.scalar::<text::diff_tool::DiffText>()?;
    registrar.scalar::<text::diff_tool::DiffFiles>()?;
    registrar.scalar::<files::read_file::ReadFile>()?;
    registrar.scalar::<files::write_file::WriteFile>()?;
    registrar.scalar::<files::edit_file::EditFile>()?;
    registrar.table::<files::edit_explain::EditExplain>()?;
    registrar.table::<agent::capabilities::Capabilities>()?;
    registrar.table::<agent::tool_calls::RedlineTools>()?;
    registrar.scalar::<agent::tool_calls::RedlineCall>()?;
    registrar.scalar::<agent::tool_calls::RedlineCallText>()?;
    registrar.scalar::<text::text_diffs::DiffStats>()?;
    registrar.scalar::<text::text_diffs::DiffRows>()?;
    registrar.scalar::<text::text_diffs::InlineDiff>()?;
    registrar.scalar::<text::patches::PatchFiles>()?;
    registrar.scalar::<text::patches::PatchHunks>()?;
    registrar.scalar::<text::patches::ApplyPatch>()?;
    registrar.scalar::<text::patches::ReversePatch>()?;
    registrar.scalar::<approvals::proposals::NeedsApproval>()?;
    registrar.scalar::<approvals::proposals::ReadApproval>()?;
    registrar.scalar::<approvals::proposals::WriteApproval>()?;
    registrar.scalar::<approvals::proposals::EditApproval>()?;
    registrar.scalar::<approvals::approve::Approve>()?;
    registrar.scalar::<approvals::approve::ApprovalPages>()?;
    registrar.scalar::<approvals::approve::ApprovalFile>()?;
    registrar.scalar::<approvals::approve::Withdraw>()?;
    registrar.scalar::<approvals::proposals::ApprovalChunk>()?;
    registrar.table::<approvals::approval_lists::ApprovalsWaiting>()?;
    registrar.table::<approvals::approval_lists::ApprovalsGiven>()?;
    registrar.scalar::<approvals::approval_display::ApprovalDisplay>()?;
    registrar.scalar::<approvals::approval_display::ApprovalComplete>()?;
    registrar.scalar::<approvals::approval_display::ApprovalPaging>()?;
    #[cfg(debug_assertions)]
    {
        registrar.scalar::<debug::debug_edits::Edits>()?;
        registrar.scalar::<debug::debug_panic::Panic>()?;
        registrar.table::<debug::debug_panic::PanicScan>()?;
    }
    Ok(())
}
