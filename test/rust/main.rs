//! Integration tests of the core, without DuckDB.

mod approval_display;
mod architecture;
mod attributes_git;
mod engine_parity;
mod index_git;
mod merge_bases;
mod merge_git;
mod patch_git;
mod patches_git;
mod review;
mod sandbox_attacks;
mod section_parity;
mod sources;
mod text_properties;
mod unified;
