//! Arguments: the declaration of a parameter and the arguments of a call (`param`, `kinds`), and
//! the parameters that functions of several families have.

pub mod comparison;
pub mod files;
pub mod kinds;
pub mod param;
pub mod row_options;
pub mod session;

pub use comparison::{FROM, IGNORE_WHITESPACE, PATHS, REPO, TO};
pub(crate) use kinds::bounded;
pub use kinds::{
    BigInt, Blob, Bytes, Choice, Moment, Name, Names, OneOf, TOTAL_CONTEXT, Text, Texts, choice,
};
pub use param::{
    Args, Asked, Flag, Given, Kind, Maybe, Param, flag, number, optional, required, text,
};
pub use row_options::{options, row_options};
pub use session::{SESSION, session};

/// Returns the SQL declarations of some parameters, in their order.
macro_rules! fields {
    ($($param:expr),* $(,)?) => { &[$($param.field),*] };
}
pub(crate) use fields;
