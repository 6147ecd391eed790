//! The rows of a question: SQL types as constants (`types`), values in memory as DuckDB wants them
//! (`column`), the declaration of a row by its columns (`columns`, [`Row`]), typed places for values
//! (`out`, `structures`, `value`), and the data that columns need (`needs`). And what it asks: its
//! parameters (`params`) and its name (`declaration`).
//!
//! Pure: `ffi` writes columns to DuckDB's vectors, tools write rows to JSON.

mod column;
mod columns;
mod declaration;
mod needs;
mod out;
pub mod params;
mod structures;
mod types;
mod value;

pub use column::{Batch, Column, Texts};
pub use columns::{
    Col, Columns, Has, Part, Row, bigint, blob, boolean, double, integer, json, timestamp,
    utinyint, varchar, varchars,
};
pub use declaration::{Declaration, Family, Grant};
pub use needs::{Need, Needs};
pub use out::{Blob, Boolean, Json, Out, Returned, Varchar, Varchars, Written};
pub use structures::{
    Elements, HasList, HasOne, ListOf, StructOf, optional_structure, structure, structures,
};
pub use types::{Constant, Field, Type};
pub use value::{Number, Text};
