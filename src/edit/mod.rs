//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | what edits make of a file, all or none of them |
//! | `matching`, `line_ends` | where a string stands in a file, and the line ends of what replaces it |
//! | `explain`, `fold`, `reason` | near misses of a string that stands nowhere, and in what they differ |
//! | `payload` | what a person is shown before an operation, as typed JSON |

mod explain;
mod fold;
mod line_ends;
mod matching;
pub mod payload;
mod plan;
mod reason;

pub use explain::{MOST, NearMiss, near_misses};
pub use plan::{Edit, FileName, Plan, check_base};
pub use reason::Reason;
