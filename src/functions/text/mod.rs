//! The functions over texts and patches, and the answers of the tool `Diff`.

pub mod diff_tool;
pub mod patches;
pub mod text_diffs;
pub mod unified_diff;
