//! The functions with which a person decides, one per file; `shown` is shared by those that take a
//! payload.

pub mod approval_chunk;
pub mod approval_display;
pub mod approval_file;
pub mod approval_pages;
pub mod approval_pieces;
pub mod approvals_given;
pub mod approve;
pub mod call_approval;
pub mod decline;
pub mod end_work;
pub mod needs_approval;
pub mod pending_approvals;
pub mod shown;
pub mod withdraw;

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;
use crate::functions::surface::table::table;

/// The functions, in the order in which help lists them.
pub const FUNCTIONS: &[FunctionEntry] = &[
    scalar::<needs_approval::NeedsApproval>(),
    scalar::<call_approval::ReadApproval>(),
    scalar::<call_approval::WriteApproval>(),
    scalar::<call_approval::EditApproval>(),
    scalar::<approval_chunk::ApprovalChunk>(),
    scalar::<approval_pages::ApprovalPages>(),
    scalar::<approval_pieces::ApprovalPieces>(),
    scalar::<approval_pieces::PatchPieces>(),
    scalar::<approval_pieces::VisiblePieces>(),
    scalar::<approve::Approve>(),
    scalar::<decline::Decline>(),
    scalar::<withdraw::Withdraw>(),
    scalar::<end_work::EndWork>(),
    scalar::<approval_file::ApprovalFile>(),
    table::<pending_approvals::PendingApprovals>(),
    table::<approvals_given::ApprovalsGiven>(),
    scalar::<approval_display::ApprovalDisplay>(),
    scalar::<approval_display::ApprovalComplete>(),
    scalar::<approval_display::ApprovalPaging>(),
];
