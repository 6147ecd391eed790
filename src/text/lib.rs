//! Texts and their differences: bytes in, values out, no I/O.

mod assignment;
mod binary;
pub mod cancel_token;
pub mod combined;
mod common_ends;
mod counts;
pub mod data_changes;
pub mod data_rows;
pub mod data_sql;
mod diff;
pub mod engine;
pub mod hunk;
pub mod hunk_id;
pub mod lines;
pub mod merge;
pub mod moved;
pub mod patch;
mod quote;
pub mod range_diff;
pub mod revert;
pub mod section;
mod similarity;
#[cfg(test)]
mod tests;
pub mod unified;
pub mod words;

pub use binary::{binary_line, is_binary};
pub use cancel_token::CancelToken;
pub use combined::{Combined, CombinedDiff};
pub use common_ends::common_start;
pub use counts::line_counts;
pub use diff::{Diff, DiffLine, DiffOptions, LineKind, line_changes, plain_line_changes};
pub use engine::{Algorithm, Change as LineChange, Engine, Whitespace};
pub use quote::quoted_path;
pub use similarity::{Fingerprint, FingerprintIndex};
