//! What a person decides on: the payloads of the calls of all file tools.

use std::sync::Arc;

use super::approval_check::Asking;
use super::blind_call::call_of;
use super::committing::CommitArguments;
use super::editing::Editing;
use super::file_tools::FileTools;
use super::git_call::GitCall;
use super::patching::Patching;
use super::reading::Read;
use super::reverting::Chosen;
use super::undo::Undoing;
use super::writing::Write;
use redline_base::budget::check_current;
use redline_base::error::Result;
use redline_text::Engine;
use redline_tools::{EditCall, FileCall};

impl FileTools {
    /// Returns the payload for a person's decision, or `None` if none is needed; the content of a
    /// file that must not be read unseen is in it only for the holder of the host's key.
    pub fn needs_approval(&self, call: &FileCall, holds_key: bool) -> Result<Option<String>> {
        if matches!(call, FileCall::Read(_)) && self.caller().context.access.sandboxes().is_none() {
            return Ok(None);
        }
        self.payload(call, Asking { is_asked: false, holds_key })
    }

    /// Returns a payload that describes the call to a person and can be approved.
    pub fn approval(&self, call: &FileCall) -> Result<String> {
        let asking = Asking { is_asked: true, holds_key: false };
        Ok(self.payload(call, asking)?.unwrap_or_default())
    }

    fn payload(&self, call: &FileCall, asking: Asking) -> Result<Option<String>> {
        let engine = &mut Engine::default();
        match call {
            FileCall::Read(arguments) => self.ask(&mut Read(self.place(&arguments.path)?), asking),
            FileCall::Write(arguments) => self.ask(&mut Write::new(self, arguments)?, asking),
            FileCall::Edit(arguments) => {
                self.ask(&mut Editing::new(self, engine, EditCall::Strings(arguments))?, asking)
            }
            FileCall::Lines(arguments) => {
                self.ask(&mut Editing::new(self, engine, EditCall::Lines(arguments))?, asking)
            }
            FileCall::Patch(arguments) => {
                self.ask(&mut Patching::new(self, engine, arguments)?, asking)
            }
            FileCall::Undo(arguments) => {
                let chosen = Chosen::try_from(arguments)?;
                match self.chosen_of_git(&chosen)? {
                    Some(record) => {
                        self.ask(&mut GitCall::uncommitting(self, &record, None, false)?, asking)
                    }
                    None => self.ask(&mut Undoing::new(self, &chosen, None, false)?, asking),
                }
            }
            FileCall::Commit(arguments) => {
                let arguments = CommitArguments::of_commit(arguments, &self.caller().context)?;
                self.ask(&mut GitCall::committing(self, &arguments)?, asking)
            }
            FileCall::Stage(arguments) => {
                let arguments = CommitArguments::of_stage(arguments, &self.caller().context)?;
                self.ask(&mut GitCall::committing(self, &arguments)?, asking)
            }
        }
    }

    /// Plans the calls that were requested on files that must not be read unseen, for the holder of
    /// the host's key. A call that cannot be planned, such as an edit of a missing text, is left:
    /// there is nothing to decide.
    ///
    /// # Errors
    /// The reason for which the work of the thread stops.
    pub fn plan_requests(&mut self) -> Result<()> {
        let state = Arc::clone(&self.caller().state);
        for (session, request) in state.approvals.requests(self.caller().rules()) {
            self.for_session(session);
            let planned = call_of(&request)
                .and_then(|call| self.payload(&call, Asking { is_asked: false, holds_key: true }));
            if planned.is_err() {
                // The error of one call is reported when it is made; the end of the thread's work
                // ends the loop.
                check_current()?;
                self.budget().check()?;
            }
        }
        Ok(())
    }
}
