//! The question to a person about a call: what is recorded before its files are read, what the
//! person sees of it, and how an approval is used.

use super::hidden_call::Hidden;
use crate::Caller;
use redline_base::error::Result;
use redline_edit::{Digest, Operation, Proposal, Rules, Session, Taken, payload, required};
use redline_text::CancelToken;

/// A call whose effect on the files is known.
pub(super) trait Planned {
    /// Returns the operation that an approval is for.
    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b>;

    /// Tells whether the sandbox asks a person about it; `may_read` tells whether the content of
    /// the files may be known.
    fn is_asked_about(&self, may_read: bool) -> bool;

    /// Returns what a person is shown of it under an id; lines that are overwritten only if
    /// `may_read`.
    fn proposal(&self, id: Digest, may_read: bool, cancel: &CancelToken<'_>) -> Result<Proposal>;
}

/// Why a payload is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking {
    /// Whether a person is asked in any case.
    pub is_asked: bool,
    /// Whether the caller holds the host's key.
    pub holds_key: bool,
}

/// A call about which a person may have to be asked.
pub(super) struct Question<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// The call as far as it does not depend on the files.
    pub hidden: Hidden<'a>,
    /// The name of its sandbox.
    pub sandbox: &'a str,
    /// Whether a file of the call must not be read unseen.
    pub is_unseen: bool,
}

impl Question<'_> {
    /// Plans the call. If its files must not be read unseen, only once a person has said yes: until
    /// then the call is recorded and no file is opened, so that the answer, its time and what is
    /// left of the quotas depend on the call alone.
    pub(super) fn plan<P>(&self, plan: impl FnOnce() -> Result<P>) -> Result<P> {
        if !self.is_unseen {
            return plan();
        }
        let caller = self.caller;
        let (approvals, rules) = (&caller.state.approvals, caller.rules());
        let operation = self.hidden.operation(&caller.session);
        let outline = self.outline();
        approvals.check_declined(&operation, &outline, rules)?;
        if approvals.has_answer(&operation, rules) {
            return plan().map_err(|error| approvals.void(&operation, &outline, error, rules));
        }
        approvals.request(&operation, &self.hidden.shown, self.hidden.base_oid, rules)?;
        let id = operation.id(approvals.secret());
        Err(caller.unapproved(&outline, required(&outline, id)))
    }

    /// Tells whether a person must see the planned call first.
    pub(super) fn asks(&self, planned: &impl Planned) -> bool {
        self.is_unseen || planned.is_asked_about(self.caller.may_read)
    }

    /// Returns what the call writes, if nobody has to be asked or somebody has said yes; uses up
    /// that yes.
    pub(super) fn take(&self, planned: &impl Planned) -> Result<Taken> {
        let operation = planned.operation(&self.caller.session);
        if !self.asks(planned) {
            return Ok(Taken { result: operation.result.unwrap_or_default().into(), given: None });
        }
        let id = self.caller.id(&operation);
        let proposal = (!self.is_unseen).then(|| self.proposal(planned, id)).transpose()?;
        let outline = proposal
            .as_ref()
            .map_or_else(|| self.outline(), |shown| shown.payload.description().to_owned());
        self.caller.take(&operation, proposal, &outline)
    }

    /// Returns the payload that a person decides on, `None` if nobody has to be asked; the content
    /// of a file that must not be read unseen is in it only for the holder of the host's key.
    ///
    /// # Errors
    /// `too_large` if the session has proposed as much as it may; `declined` if a person has said
    /// no; those of `plan`.
    pub(super) fn payload<P: Planned>(
        &self,
        asking: Asking,
        plan: impl FnOnce() -> Result<P>,
    ) -> Result<Option<String>> {
        let caller = self.caller;
        let approvals = &caller.state.approvals;
        // The holder of the host's key has no share of a connection.
        let rules = caller.rules();
        let rules = Rules { connection: rules.connection.filter(|_| !asking.holds_key), ..rules };
        let request = self.hidden.operation(&caller.session);
        let id = self.caller.id(&request);
        if self.is_unseen {
            let is_decided = approvals.has_answer(&request, rules);
            if is_decided && !asking.is_asked && !asking.holds_key {
                return Ok(None);
            }
            approvals.request(&request, &self.hidden.shown, self.hidden.base_oid, rules)?;
            if !asking.holds_key {
                let Hidden { tool, shown, .. } = &self.hidden;
                return Ok(Some(payload::hidden(*tool, shown, self.sandbox, id)));
            }
        } else {
            approvals.check_quota(&request, rules)?;
        }
        let planned = plan()?;
        let operation = planned.operation(&caller.session);
        let is_free = !self.asks(&planned) || approvals.allows(&operation, rules);
        if is_free && !asking.is_asked {
            return Ok(None);
        }
        let proposal = self.proposal(&planned, id)?;
        let json = proposal.payload.to_json();
        if self.is_unseen {
            approvals.plan(&operation, proposal, rules)?;
        } else {
            approvals.propose(&operation, proposal, rules)?;
        }
        Ok(Some(json))
    }

    fn proposal(&self, planned: &impl Planned, id: Digest) -> Result<Proposal> {
        let caller = self.caller;
        planned.proposal(id, caller.may_read, &CancelToken::of(&caller.budget))
    }

    fn outline(&self) -> String {
        payload::outline(self.hidden.tool, &self.hidden.shown)
    }
}
