//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | what edits make of a file, all or none of them |
//! | `matching`, `line_ends` | where a string stands in a file, and the line ends of what replaces it |
//! | `explain`, `fold`, `windows`, `reason` | near misses of a string that stands nowhere, and in what they differ |
//! | `payload` | what a person is shown before an operation, as typed JSON |
//! | `proposal` | the payload of an operation, and the chunks of one that is large |
//! | `operation` | what an approval is for, to the byte, as a digest |
//! | `approvals` | what waits for a person, and what a person has said yes to |
//! | `repeats` | the edits that a statement has made already |

mod approvals;
mod explain;
mod fold;
mod line_ends;
mod matching;
mod operation;
pub mod payload;
mod plan;
mod proposal;
mod reason;
mod repeats;
mod windows;

pub use approvals::{Approvals, Scope};
pub use explain::{MOST, NearMiss, WANTED_BYTES, explain, near_misses};
pub use operation::{Digest, Operation, Tool};
pub use plan::{Edit, FileName, Plan, check_base};
pub use proposal::{Existing, Proposal};
pub use reason::Reason;
pub use repeats::{Repeats, Ticket};
