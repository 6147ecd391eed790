//! Integration tests of the core, without DuckDB.

mod architecture;
mod engine_parity;
mod section_parity;
mod unified;
