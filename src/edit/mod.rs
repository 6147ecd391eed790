//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | what edits make of a file, all or none of them |
//! | `matching`, `line_ends` | where a string stands in a file, and the line ends of what replaces it |
//! | `explain`, `fold`, `windows`, `reason` | near misses of a string that stands nowhere, and in what they differ |
//! | `payload` | what a person is shown before an operation, as typed JSON |
//! | `proposal` | the payload of an operation, and the chunks of one that is large |
//! | `operation`, `secret` | what an approval is for, to the byte, as a digest that is keyed with a secret |
//! | `waiting`, `approvals`, `scope` | what waits for a person, and what a person has said yes to |
//! | `calls` | how often a session has called tools |
//! | `approver` | who may say yes |
//! | `pages` | the proof that every page of a payload was shown |
//! | `repeats` | the edits that a statement has made already |
//! | `patches` | changes of many files as one text, read and fitted |

mod approvals;
mod approver;
mod calls;
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
mod reason;
mod repeats;
mod request;
mod scope;
mod secret;
mod waiting;
mod windows;

pub use approvals::{Approvals, required};
pub use approver::Approvers;
pub use calls::Calls;
pub use explain::{MAX_NEAR_MISSES, NearMiss, WANTED_BYTES, explain, near_misses};
pub use line_edit::LineEdit;
pub use operation::{FileTool, Operation, Session};
pub use pages::{Page, Proof, proven};
pub use plan::{ContentDiff, Plan, check_base};
pub use proposal::{Existing, Proposal};
pub use reason::Reason;
pub use repeats::{Repeats, Ticket};
pub use request::{Edit, FileName};
pub use scope::Scope;
pub use secret::{Digest, Secret};
pub use waiting::{Given, Request, Rules, Taken};
