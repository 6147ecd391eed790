//! Arguments: what a parameter is (`param`, `kinds`), what was given for it (`given`, `args`), and the parameters that functions of
//! several families have.

pub mod args;
pub mod arguments;
pub mod comparison;
pub mod context_lines;
pub mod given;
pub mod kinds;
pub mod named_options;
pub mod param;
pub mod row_options;
pub mod session;

/// Returns what SQL sees of some parameters, in their order.
macro_rules! fields {
    ($($param:expr),* $(,)?) => { &[$($param.field),*] };
}
pub(crate) use fields;
