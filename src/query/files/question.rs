//! The question to a person about a call: what is recorded before its files are read, what the
//! person sees of it, and how an approval is used.

use super::change::{Maker, Planned};
use super::hidden_call::Hidden;
use crate::Caller;
use redline_base::error::{Error, ErrorKind, Result};
use redline_edit::{ChangeSet, Digest, Given, Operation, Proposal, Rules, payload, required};
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
pub(super) struct Question<'a> {
    caller: &'a Caller,
    /// Whether a file of the call must not be read unseen.
    pub is_unseen: bool,
}

impl<'a> Question<'a> {
    /// Returns the question about a call.
    pub(super) fn new<'p, M: Maker<'p>>(caller: &'a Caller, maker: &M) -> Self {
        let is_unseen = !maker.places().into_iter().all(|place| caller.may_show(place));
        Self { caller, is_unseen }
    }

    /// Plans the call. If its files must not be read unseen, only once a person has said yes: until
    /// then the call is recorded and no file is opened, so that the answer, its time and what is
    /// left of the quotas depend on the call alone.
    pub(super) fn plan<'p, M: Maker<'p>, P>(
        &self,
        maker: &mut M,
        plan: impl FnOnce(&mut M) -> Result<P>,
    ) -> Result<P> {
        if !self.is_unseen {
            return plan(maker);
        }
        let nothing = ChangeSet::default();
        let (approvals, rules) = (&self.caller.state.approvals, self.caller.rules());
        let outline = outline(&maker.call());
        approvals.check_declined(&self.operation(&maker.call(), &nothing), &outline, rules)?;
        if approvals.has_answer(&self.operation(&maker.call(), &nothing), rules) {
            return plan(maker).map_err(|error| {
                let call = maker.call();
                let operation = self.operation(&call, &nothing);
                approvals.void(&operation, &outline, untold(&outline, error), rules)
            });
        }
        Err(self.requested(maker)?)
    }

    /// Records a call that is planned only for a person; returns the error of its caller.
    fn requested<'p, M: Maker<'p>>(&self, maker: &M) -> Result<Error> {
        let (caller, call) = (self.caller, maker.call());
        let nothing = ChangeSet::default();
        let operation = self.operation(&call, &nothing);
        let approvals = &caller.state.approvals;
        approvals.request(&operation, &call.shown, call.base_oid, caller.rules())?;
        let outline = outline(&call);
        let id = operation.id(approvals.secret());
        Ok(caller.unapproved(&outline, required(&outline, id)))
    }

    /// Refuses a call without effects on files that the caller may not read.
    ///
    /// # Errors
    /// Those of [`Caller::check_shown`].
    pub(super) fn check_seen<'p, M: Maker<'p>>(&self, maker: &M) -> Result<()> {
        let mut places = maker.places().into_iter();
        places.try_for_each(|place| self.caller.check_shown(place, &place.to_string()))
    }

    /// Refuses a planned call that a person has declined.
    ///
    /// # Errors
    /// `declined`.
    pub(super) fn check_declined<'p, M: Maker<'p>>(
        &self,
        maker: &M,
        planned: &Planned<'p, M::Told>,
    ) -> Result<()> {
        let (caller, call, changes) = (self.caller, maker.call(), planned.change_set());
        let operation = self.operation(&call, &changes);
        caller.state.approvals.check_declined(&operation, &outline(&call), caller.rules())
    }

    /// Returns the approval id of the call.
    pub(super) fn id<'p, M: Maker<'p>>(&self, maker: &M) -> Digest {
        self.caller.id(&self.operation(&maker.call(), &ChangeSet::default()))
    }

    /// Tells whether a person must see the planned call first.
    pub(super) fn asks<'p, M: Maker<'p>>(&self, maker: &M, planned: &Planned<'p, M::Told>) -> bool {
        self.is_unseen || maker.is_asked_about(planned, self.caller.may_read)
    }

    /// Uses up the approval of the planned call, or proposes it.
    ///
    /// # Errors
    /// `approval_required`, final if nobody can approve; `declined`; `stale` if a file has changed
    /// since it was approved.
    pub(super) fn take<'p, M: Maker<'p>>(
        &self,
        maker: &M,
        planned: &Planned<'p, M::Told>,
    ) -> Result<Given> {
        let (caller, call, changes) = (self.caller, maker.call(), planned.change_set());
        let operation = self.operation(&call, &changes);
        let proposal = match self.is_unseen {
            true => None,
            false => Some(self.proposal(maker, planned)?),
        };
        let outline = proposal
            .as_ref()
            .map_or_else(|| outline(&call), |shown| shown.payload.description().to_owned());
        let taken = caller.state.approvals.take(&operation, proposal, &outline, caller.rules());
        taken.map_err(|error| match error.kind() {
            // An approval of a wider scope let it be planned and does not cover what it does.
            ErrorKind::ApprovalRequired if self.is_unseen => {
                self.requested(maker).unwrap_or_else(|error| error)
            }
            _ => caller.unapproved(&outline, error),
        })
    }

    /// Returns the payload that a person decides on, `None` if nobody has to be asked; the content
    /// of a file that must not be read unseen is in it only for the holder of the host's key.
    ///
    /// # Errors
    /// `too_large` if the session has proposed as much as it may; `declined` if a person has said
    /// no; those of the plan.
    pub(super) fn payload<'p, M: Maker<'p>>(
        &self,
        maker: &mut M,
        asking: Asking,
    ) -> Result<Option<String>> {
        let caller = self.caller;
        let approvals = &caller.state.approvals;
        // The holder of the host's key has no share of a connection.
        let rules = caller.rules();
        let rules = Rules { connection: rules.connection.filter(|_| !asking.holds_key), ..rules };
        let nothing = ChangeSet::default();
        {
            let call = maker.call();
            let request = self.operation(&call, &nothing);
            if self.is_unseen {
                let is_decided = approvals.has_answer(&request, rules);
                if is_decided && !asking.is_asked && !asking.holds_key {
                    return Ok(None);
                }
                approvals.request(&request, &call.shown, call.base_oid, rules)?;
                if !asking.holds_key {
                    let id = caller.id(&request);
                    return Ok(Some(payload::hidden(
                        call.tool,
                        &call.shown,
                        call.sandbox_name,
                        id,
                    )));
                }
            } else {
                approvals.check_quota(&request, rules)?;
            }
        }
        let planned = maker.plan()?;
        let (call, changes) = (maker.call(), planned.change_set());
        let operation = self.operation(&call, &changes);
        let is_free = !self.asks(maker, &planned) || approvals.allows(&operation, rules);
        if is_free && !asking.is_asked {
            return Ok(None);
        }
        let proposal = self.proposal(maker, &planned)?;
        let json = proposal.payload.to_json();
        if self.is_unseen {
            approvals.plan(&operation, proposal, rules)?;
        } else {
            approvals.propose(&operation, proposal, rules)?;
        }
        Ok(Some(json))
    }

    fn operation<'b>(&'b self, call: &'b Hidden<'_>, changes: &'b ChangeSet<'_>) -> Operation<'b> {
        call.operation(&self.caller.session, changes)
    }

    fn proposal<'p, M: Maker<'p>>(
        &self,
        maker: &M,
        planned: &Planned<'p, M::Told>,
    ) -> Result<Proposal> {
        let caller = self.caller;
        maker.proposal(planned, self.id(maker), caller.may_read, &CancelToken::of(&caller.budget))
    }
}

fn outline(call: &Hidden<'_>) -> String {
    payload::outline(call.tool, &call.shown)
}

/// Returns what a caller who may not read the files is told of an error of the plan: that there is
/// one, and no name, number or content that the files have.
fn untold(outline: &str, error: Error) -> Error {
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
