//! The parameters of functions that are no questions to repositories: of file tools (`files`), the
//! options of a row (`row_options`), and the session of a call. Those of questions are beside them,
//! in `query`; what a parameter is, is in `rows::params`.

pub mod files;
pub mod row_options;
pub mod session;

pub use redline_query::params::{
    FILE, FROM, Moment, REPO, REVISION, TO, TOTAL_CONTEXT, comparison,
};
pub use redline_rows::params::{
    Args, Asked, BigInt, Blob, Bytes, Choice, Flag, Given, Kind, Maybe, Name, Names, OneOf, Param,
    Text, Value, choice, flag, number, optional, required, text,
};
pub(crate) use redline_rows::{bounded, fields};
pub use row_options::{options, row_options};
pub use session::{SESSION, session};
