//! Functions of debug builds, which tests call.

pub mod debug_columns;
pub mod debug_edits;
pub mod debug_grants;
pub mod debug_panic;
pub mod debug_refuse;

use crate::functions::surface::FunctionEntry;
use crate::functions::surface::scalar::scalar;
use crate::functions::surface::table::table;

/// The functions, in the order in which help lists them.
pub const FUNCTIONS: &[FunctionEntry] = &[
    table::<debug_columns::DebugColumns>(),
    scalar::<debug_edits::Edits>(),
    table::<debug_grants::DebugGrants>(),
    scalar::<debug_panic::Panic>(),
    table::<debug_panic::PanicScan>(),
    scalar::<debug_refuse::Refuse>(),
];
