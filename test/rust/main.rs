//! Integration tests of the core, without DuckDB.

mod approval_display;
mod architecture;
mod engine_parity;
mod patch_git;
mod review;
mod sandbox_attacks;
mod section_parity;
mod text_properties;
mod unified;
