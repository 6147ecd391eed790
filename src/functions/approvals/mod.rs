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
