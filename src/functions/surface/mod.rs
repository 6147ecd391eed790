//! The parts of a SQL function: its declaration (`declaration`), table functions and scans over
//! rows being computed (`table`), scalar functions (`scalar`), scans over complete rows (`rows`),
//! and entries of the registry (`entry`).

pub mod declaration;
pub mod entry;
pub mod rows;
pub mod scalar;
pub mod table;

pub use crate::ffi::State;
pub use declaration::{Declaration, Family, Grant};
pub use entry::{FunctionEntry, Signature};
pub use rows::Rows;
pub use scalar::Scalar;
pub use table::{RepositoryTable, Table};
