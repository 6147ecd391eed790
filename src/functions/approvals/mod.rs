//! What a person is shown and decides, one function a file; `shown` is what those that take a
//! payload have in common.

pub mod approval_chunk;
pub mod approval_display;
pub mod approval_file;
pub mod approval_pages;
pub mod approvals_given;
pub mod approve;
pub mod call_approval;
pub mod decline;
pub mod needs_approval;
pub mod pending_approvals;
pub mod shown;
pub mod withdraw;
