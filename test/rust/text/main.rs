//! Texts: parity with git of diffs, headings, merges and patches, and properties.

mod engine_parity;
mod merge_git;
mod patch_git;
mod section_parity;
mod text_properties;
mod unified;
