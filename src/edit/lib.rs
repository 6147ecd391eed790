//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | the result of edits of a file, all or none of them |
//! | `matching`, `line_ends` | the occurrences of a string in a file, and the line ends of its replacement |
//! | `explain`, `fold`, `candidates`, `reason` | near misses of a string that does not occur, and how they differ |
//! | `change` | the files that a call changes, each with its two sides |
//! | `payload` | the description of an operation for the person who approves it, as typed JSON |
//! | `proposal` | the payload of an operation, and the chunks of one that is large |
//! | `operation`, `secret` | the operation that an approval covers, to the byte, as a digest keyed with a secret |
//! | `waiting`, `approvals`, `scope` | operations that wait for a person, and the decisions made |
//! | `rate_limit` | the number of tool calls of each session |
//! | `approver` | the callers that may approve |
//! | `pages` | the proof that every page of a payload was shown |
//! | `duplicates` | the edits that the current statement has made |
//! | `patches` | changes of many files as one text: reads it and locates each change |

mod approvals;
mod approver;
mod candidates;
mod change;
mod duplicates;
mod explain;
mod fold;
mod line_edit;
mod line_ends;
mod matching;
mod operation;
mod pages;
pub mod patches;
pub mod payload;
mod places;
mod plan;
mod proposal;
mod rate_limit;
mod reason;
mod request;
mod scope;
mod secret;
mod waiting;

pub use approvals::{Approvals, required};
pub use approver::Approvers;
pub use change::{ChangeSet, ChangedFile, Side, is_executable, mode_after};
pub use duplicates::{Duplicates, Ticket};
pub use explain::{NearMiss, WANTED_BYTES, explain};
pub use line_edit::LineEdit;
pub use operation::{FileTool, Operation, Session};
pub use pages::{Page, Proof, proven};
pub use plan::{ContentDiff, Plan, check_base};
pub use proposal::Proposal;
pub use rate_limit::RateLimit;
pub use request::{Edit, FileName};
pub use scope::Scope;
pub use secret::Digest;
pub use waiting::{Approval, Request, Rules};
