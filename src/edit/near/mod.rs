//! Near misses of a string that does not occur in a file: found (`explain`, `candidates`), and how
//! they differ (`fold`, `reason`).

pub(crate) mod candidates;
pub(crate) mod explain;
pub(crate) mod fold;
pub(crate) mod reason;
