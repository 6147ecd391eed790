//! Arguments: the declaration of a parameter ([`Param`]) and how it is read ([`Kind`], `kinds`), and
//! the arguments of a call ([`Args`]) from where they are given: as values, in a row of a scalar
//! function, in a struct of options, or left out.

mod args;
mod given;
mod kinds;
mod param;
mod value;

pub use args::Args;
pub use given::{Given, RowArguments};
pub use kinds::{BigInt, Blob, Bytes, Choice, Name, Names, OneOf, Text, Texts, choice};
pub use param::{Asked, Flag, Kind, Maybe, Param, flag, number, optional, required, text};
pub use value::Value;

/// Returns the SQL declarations of some parameters, in their order.
#[macro_export]
macro_rules! fields {
    ($($param:expr),* $(,)?) => { &[$($param.field),*] };
}
