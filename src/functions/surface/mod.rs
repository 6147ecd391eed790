//! The parts of a SQL function: table functions and scans over
//! rows being computed (`table`), scalar functions (`scalar`), scans over complete rows (`rows`),
//! and entries of the registry (`entry`).

pub mod entry;
pub mod rows;
pub mod scalar;
pub mod table;

pub use crate::ffi::State;
pub use entry::{FunctionEntry, Signature};
pub use redline_rows::{Declaration, Family, Grant};
pub use rows::Rows;
pub use scalar::Scalar;
pub use table::Table;
