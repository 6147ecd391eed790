//! What the extension keeps for a database while it is open. Nothing of it is shared with another
//! database of the process, and nothing outlives it.

use std::sync::Arc;

use crate::edit::{Approvals, Calls, Repeats};
use crate::git::Repositories;

/// The state of one database.
#[derive(Default)]
pub struct Database {
    /// What waits for a person, and what a person has said yes to.
    pub approvals: Approvals,
    /// How often tools were called.
    pub calls: Calls,
    /// The edits that statements have made.
    pub repeats: Repeats,
    /// The repositories that stay open.
    pub repositories: Arc<Repositories>,
}
