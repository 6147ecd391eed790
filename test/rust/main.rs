//! Integration tests of the core, without DuckDB.

mod architecture;
mod unified;
