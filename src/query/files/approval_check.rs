//! The question to a person about a call: what is recorded before its files are read, what the
//! person sees of it, and how an approval is used.

use super::blind_call::BlindCall;
use super::planned::{Maker, Planned, Showing};
use crate::Caller;
use redline_base::error::{Error, ErrorKind, Result};
use redline_edit::{
    Approval, Approvals, ChangeSet, Digest, Operation, Proposal, Rules, payload, required,
};
use redline_text::CancelToken;

/// Why a payload is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking {
    /// Whether a person is asked in any case.
    pub is_asked: bool,
    /// Whether the caller holds the host's key.
    pub holds_key: bool,
}

/// A call about which a person may have to be asked.
pub(super) struct ApprovalCheck<'a, M> {
    caller: &'a Caller,
    /// What makes the change set.
    pub maker: &'a mut M,
    /// Whether a file of the call must not be read unseen.
    pub is_unseen: bool,
}

impl<'a, 'p, M: Maker<'p>> ApprovalCheck<'a, M> {
    /// Returns the question about a call.
    pub(super) fn new(caller: &'a Caller, maker: &'a mut M) -> Self {
        let is_unseen = !maker.places().into_iter().all(|place| caller.may_show(place));
        Self { caller, maker, is_unseen }
    }

    /// Plans the call. If its files must not be read unseen, only once a person has said yes: until
    /// then the call is recorded and no file is opened, so that the answer, its time and what is
    /// left of the quotas depend on the call alone.
    pub(super) fn plan(&mut self) -> Result<Planned<'p, M::Report>> {
        if !self.is_unseen {
            return self.maker.plan();
        }
        let outline = outline(&self.maker.call());
        let (nothing, rules) = (ChangeSet::default(), self.caller.rules());
        let has_answer = self.of(&nothing, |approvals, operation| {
            approvals.check_declined(operation, &outline, rules)?;
            Ok::<_, Error>(approvals.has_answer(operation, rules))
        })?;
        if !has_answer {
            return Err(self.requested()?);
        }
        self.maker.plan().map_err(|error| {
            let error = without_details(&outline, error);
            self.of(&nothing, |approvals, operation| {
                approvals.void(operation, &outline, error, rules)
            })
        })
    }

    /// Records a call that is planned only for a person; returns the error of its caller.
    fn requested(&self) -> Result<Error> {
        let (caller, call) = (self.caller, self.maker.call());
        self.of(&ChangeSet::default(), |approvals, operation| {
            approvals.request(operation, &call.shown, call.base_oid, caller.rules())
        })?;
        let outline = outline(&call);
        Ok(caller.unapproved(&outline, required(&outline, self.id())))
    }

    /// Refuses a call without effects on files that the caller may not read.
    ///
    /// # Errors
    /// Those of [`Caller::check_shown`].
    pub(super) fn check_seen(&self) -> Result<()> {
        let mut places = self.maker.places().into_iter();
        places.try_for_each(|place| self.caller.check_shown(place, &place.to_string()))
    }

    /// Refuses a planned call that a person has declined.
    ///
    /// # Errors
    /// `declined`.
    pub(super) fn check_declined(&self, planned: &Planned<'p, M::Report>) -> Result<()> {
        let (outline, rules) = (outline(&self.maker.call()), self.caller.rules());
        self.of(&planned.change_set(), |approvals, operation| {
            approvals.check_declined(operation, &outline, rules)
        })
    }

    /// Returns the approval id of the call.
    pub(super) fn id(&self) -> Digest {
        self.of(&ChangeSet::default(), |approvals, operation| operation.id(approvals.secret()))
    }

    /// Tells whether a person must see the planned call first.
    pub(super) fn asks(&self, planned: &Planned<'p, M::Report>) -> bool {
        self.is_unseen || self.maker.needs_approval(planned, self.caller.may_read)
    }

    /// Uses up the approval of the planned call, or proposes it.
    ///
    /// # Errors
    /// `approval_required`, final if nobody can approve; `declined`; `stale` if a file has changed
    /// since it was approved.
    pub(super) fn consume(&self, planned: &Planned<'p, M::Report>) -> Result<Approval> {
        let proposal = (!self.is_unseen).then(|| self.proposal(planned)).transpose()?;
        let outline = match &proposal {
            Some(shown) => shown.payload.description().to_owned(),
            None => outline(&self.maker.call()),
        };
        let rules = self.caller.rules();
        let taken = self.of(&planned.change_set(), |approvals, operation| {
            approvals.consume(operation, proposal, &outline, rules)
        });
        taken.map_err(|error| match error.kind() {
            // An approval of a wider scope let it be planned and does not cover what it does.
            ErrorKind::ApprovalRequired if self.is_unseen => {
                self.requested().unwrap_or_else(|error| error)
            }
            _ => self.caller.unapproved(&outline, error),
        })
    }

    /// Returns the payload that a person decides on, `None` if no approval is needed; the content
    /// of a file that must not be read unseen is in it only for the holder of the host's key.
    ///
    /// # Errors
    /// `too_large` if the session has proposed as much as it may; `declined` if a person has said
    /// no; those of the plan.
    pub(super) fn payload(&mut self, asking: Asking) -> Result<Option<String>> {
        // The holder of the host's key has no share of a connection.
        let rules = self.caller.rules();
        let rules = Rules { connection: rules.connection.filter(|_| !asking.holds_key), ..rules };
        if self.is_unseen {
            let (nothing, call) = (ChangeSet::default(), self.maker.call());
            let has_answer = self.of(&nothing, |all, operation| all.has_answer(operation, rules));
            if has_answer && !asking.is_asked && !asking.holds_key {
                return Ok(None);
            }
            self.of(&nothing, |approvals, operation| {
                approvals.request(operation, &call.shown, call.base_oid, rules)
            })?;
            if !asking.holds_key {
                let BlindCall { tool, shown, sandbox_name, .. } = &call;
                return Ok(Some(payload::hidden(*tool, shown, sandbox_name, self.id())));
            }
        } else {
            self.of(&ChangeSet::default(), |all, operation| all.check_quota(operation, rules))?;
        }
        let planned = self.maker.plan()?;
        self.of(&planned.change_set(), |approvals, operation| {
            let is_free = !self.asks(&planned) || approvals.allows(operation, rules);
            if is_free && !asking.is_asked {
                return Ok(None);
            }
            let proposal = self.proposal(&planned)?;
            let json = proposal.payload.to_json();
            match self.is_unseen {
                true => approvals.plan(operation, proposal, rules)?,
                false => approvals.propose(operation, proposal, rules)?,
            }
            Ok(Some(json))
        })
    }

    /// Passes the call with these changes to `work`.
    fn of<T>(
        &self,
        changes: &ChangeSet<'_>,
        work: impl FnOnce(&Approvals, &Operation<'_>) -> T,
    ) -> T {
        let call = self.maker.call();
        work(&self.caller.state.approvals, &call.operation(&self.caller.session, changes))
    }

    fn proposal(&self, planned: &Planned<'p, M::Report>) -> Result<Proposal> {
        let caller = self.caller;
        let cancel = CancelToken::of(&caller.context.budget);
        let with = Showing { id: self.id(), may_read: caller.may_read, cancel: &cancel };
        let mut proposal = self.maker.proposal(planned, with)?;
        if let [place] = self.maker.places()[..]
            && place.sandbox().is_run_by_tools(place.path())
        {
            proposal.payload.note_run_by_tools();
        }
        Ok(proposal)
    }
}

fn outline(call: &BlindCall<'_>) -> String {
    payload::outline(call.tool, &call.shown)
}

/// Returns what a caller who may not read the files is told of an error of the plan: that there is
/// one, and no name, number or content that the files have.
fn without_details(outline: &str, error: Error) -> Error {
    let kind = error.kind();
    match kind {
        ErrorKind::NotFound
        | ErrorKind::NotUnique
        | ErrorKind::Stale
        | ErrorKind::InvalidArgs
        | ErrorKind::FsDenied
        | ErrorKind::TooLarge => Error::new(
            kind,
            format!("\"{outline}\" cannot be done on the files as they are"),
        )
        .with_hint(
            "Why is not said, as they must not be read; read_file asks a person to show them",
        ),
        _ => error,
    }
}
