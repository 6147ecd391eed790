//! Edits of a file and the approvals they wait for: bytes in, values out, no I/O.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | the result of edits of a file, all or none of them: the occurrences of a string (`matching`, `places`), the line ends of its replacement (`line_ends`), lines by their numbers (`line_edit`); the files that a call changes, each with its two sides (`change`) |
//! | `near` | near misses of a string that does not occur, and how they differ |
//! | `payload` | the description of an operation for the person who approves it, as typed JSON; made by `proposal`, with the chunks of one that is large |
//! | `approvals` | operations that wait for a person, and the decisions made: what an approval covers, to the byte, as a digest keyed with a secret (`operation`, `secret`); `waiting`, `scope`, and who may approve (`approver`); the proof that every page was shown (`pages`); the calls of each session (`rate_limit`), and the edits that the statement has made (`duplicates`) |
//! | `patches` | changes of many files as one text: reads it and locates each change |

mod approvals;
mod near;
pub mod patches;
pub mod payload;
mod plan;

pub use approvals::approver::Approvers;
pub use approvals::duplicates::{Duplicates, Ticket};
pub use approvals::operation::{FileTool, Operation, Session};
pub use approvals::pages::{Page, Proof, proven};
pub use approvals::rate_limit::RateLimit;
pub use approvals::scope::Scope;
pub use approvals::secret::Digest;
pub use approvals::waiting::{Approval, Request, Rules};
pub use approvals::{Approvals, required};
pub use near::explain::{NearMiss, WANTED_BYTES, explain};
pub use payload::proposal::Proposal;
pub use plan::change::{ChangeSet, ChangedFile, Side, is_executable, mode_after};
pub use plan::line_edit::LineEdit;
pub use plan::request::{Edit, FileName};
pub use plan::{ContentDiff, Plan, check_base};
