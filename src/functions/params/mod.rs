//! Arguments: the declaration of a parameter (`param`, `kinds`), its value (`given`, `args`), and
//! the parameters that functions of several families have.

pub mod args;
pub mod comparison;
pub mod context_lines;
pub mod files;
pub mod given;
pub mod kinds;
pub mod param;
pub mod row_options;
pub mod session;

pub use args::Args;
pub use comparison::{FROM, IGNORE_WHITESPACE, PATHS, REPO, TO};
pub use context_lines::{CONTEXT, TOTAL_CONTEXT};
pub use given::Given;
pub use kinds::{BigInt, Blob, Bytes, Choice, Moment, Name, OneOf, Text, Texts, choice, moment};
pub use param::{
    Asked, Flag, Kind, Maybe, Numeric, Param, Textual, flag, number, optional, required, text,
};
pub use row_options::{options, row_options};

/// Returns the SQL declarations of some parameters, in their order.
macro_rules! fields {
    ($($param:expr),* $(,)?) => { &[$($param.field),*] };
}
pub(crate) use fields;
