//! The file tools for one caller: whose files they reach, and where.

use std::sync::Arc;

use crate::Caller;
use redline_base::budget::Budget;
use redline_base::error::{Error, Result, quoted};
use redline_edit::{Session, Ticket};
use redline_sandbox::SandboxPath;

/// The file tools for one caller.
pub struct FileTools {
    caller: Caller,
    ticket: Ticket,
}

impl FileTools {
    /// Prepares the calls of a statement.
    pub fn new(caller: Caller) -> Self {
        let ticket = caller.state.duplicates.ticket();
        Self { caller, ticket }
    }

    /// Returns for whom the calls are made.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the time at which the calls were prepared.
    pub(super) fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Returns the shared budget of the calls.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.caller.context.budget
    }

    /// Changes the session of the following calls.
    pub fn for_session(&mut self, session: Session) {
        self.caller.session = session;
    }

    /// Returns the place of a path in a sandbox.
    pub(super) fn place(&self, path: &str) -> Result<SandboxPath<'_>> {
        let sandboxes = self.caller.context.access.sandboxes().ok_or_else(|| {
            Error::fs_denied(format!("{} is not in a sandbox: none is configured", quoted(path)))
                .with_hint("Ask the host to configure a directory in redline_sandboxes")
        })?;
        sandboxes.resolve(path)
    }

    /// Returns the place of a path, if its sandbox permits writing.
    pub(super) fn writable(&self, path: &str) -> Result<SandboxPath<'_>> {
        let Some(sandboxes) = self.caller.context.access.sandboxes() else {
            return Err(Error::fs_denied(format!(
                "{} cannot be written: no sandbox is configured",
                quoted(path)
            ))
            .with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            ));
        };
        let place = sandboxes.resolve_for_writing(path)?;
        // Whether its directory is a repository is also hidden until a person approves.
        match self.caller.may_show(&place) {
            true => place.check_writable(),
            false => place.check_rules(),
        }?;
        Ok(place)
    }
}
