//! What a person is shown and decides.

pub mod approval_display;
pub mod approval_lists;
pub mod approve;
pub mod proposals;
