//! Texts and their differences: bytes in, values out, no I/O.

mod binary;
mod counts;
mod diff;
mod ends;
pub mod engine;
pub mod hunk;
pub mod lines;
pub mod patch;
mod quote;
pub mod section;
mod similarity;
pub mod stop;
#[cfg(test)]
mod stop_tests;
pub mod unified;
pub mod words;

pub use binary::{binary_line, is_binary};
pub use counts::line_counts;
pub use diff::{Diff, DiffLine, DiffOptions, LineKind};
pub use ends::common_start;
pub use engine::{Algorithm, Engine, Whitespace};
pub use quote::quoted_path;
pub use similarity::{Fingerprint, FingerprintTable};
pub use stop::Stop;
