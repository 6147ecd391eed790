//! The work of SQL functions, tools and commands: from a request in Rust types to ordered rows.
//!
//! A request opens its repository in a [`Context`], which holds its access and budget as plain
//! values, and starts its threads through [`machinery::run::Run`]. Nothing here knows DuckDB or a
//! setting.

pub mod answers;
pub mod files;
pub mod machinery;
pub mod params;
pub mod questions;
pub mod review;

pub use machinery::caller::Caller;
pub use machinery::moment::moment;
pub use machinery::revisions::Revisions;
pub use machinery::rows::{Query, RowGroup, Rows};
pub use machinery::run::Context;
pub use questions::Question;
