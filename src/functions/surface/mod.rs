//! The parts of a SQL function: its declaration (`declaration`), table functions and scans over
//! rows being computed (`table`), scalar functions (`scalar`), typed places for values (`out`,
//! `structures`), typed columns (`columns`) and their values (`value`), the columns of lines
//! (`line_rows`), scans over complete rows (`rows`), and entries of the registry (`entry`).

pub mod columns;
pub mod declaration;
pub mod entry;
pub mod line_rows;
pub mod out;
pub mod rows;
pub mod scalar;
pub mod structures;
pub mod table;
pub mod value;

pub use crate::ffi::State;
pub use columns::{
    Col, Has, Part, Row, bigint, blob, boolean, double, integer, json, timestamp, utinyint,
    varchar, varchars,
};
pub use declaration::{Declaration, Family, Grant};
pub use entry::{FunctionEntry, Signature};
pub use out::{Blob, Boolean, Json, Out, Returned, Varchar, Varchars, Written};
pub use rows::Rows;
pub use scalar::Scalar;
pub use structures::{
    HasList, HasOne, ListOf, StructOf, optional_structure, structure, structures,
};
pub use table::{RepositoryTable, Table, Tabular};
