//! Operations that wait for a person, and the decisions that a person has made.
//!
//! Kept in memory, for one database: each database owns one [`Approvals`], and nothing is shared
//! between two. The caller passes the time.

pub(crate) mod approver;
pub(crate) mod duplicates;
pub(crate) mod operation;
pub(crate) mod pages;
pub(crate) mod rate_limit;
pub(crate) mod scope;
pub(crate) mod secret;
pub(crate) mod waiting;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::approvals::operation::{Operation, Session};
use crate::approvals::scope::Scope;
use crate::approvals::secret::{Digest, Secret};
use crate::approvals::waiting::{
    Approval, Planned, Request, Rules, State, declined, nothing_waits,
};
use crate::payload::Payload;
use crate::payload::proposal::{Proposal, approval_id};
use redline_base::budget::{Gather, Grow, GrowMap, Ordered};
use redline_base::error::{Error, Result, quoted};

/// The proposals and approvals of one database.
#[derive(Debug)]
pub struct Approvals {
    secret: Secret,
    state: Mutex<State>,
}

impl Default for Approvals {
    fn default() -> Self {
        Self { secret: Secret::random(), state: Mutex::default() }
    }
}

impl Approvals {
    /// Returns the secret of the database.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Records an operation that may be approved from now on; its id is that of the payload.
    ///
    /// # Errors
    /// `too_large` when the session has reached its quota of proposals, `declined` when a person
    /// has declined the operation.
    pub fn propose(
        &self,
        operation: &Operation<'_>,
        proposal: Proposal,
        rules: Rules,
    ) -> Result<()> {
        let (id, planned) = self.planned(operation, proposal);
        self.lock(rules).propose(id, planned, operation, rules)
    }

    /// Records a call on the file that is shown as `path`, which its session must not read unseen.
    /// The record takes one entry and the bytes of the arguments, whatever the file holds and
    /// whether it exists. The call is planned only when a person lists the requests.
    ///
    /// # Errors
    /// `too_large` when the session has reached its quota of proposals.
    pub fn request(
        &self,
        operation: &Operation<'_>,
        path: &str,
        base_oid: Option<&str>,
        rules: Rules,
    ) -> Result<()> {
        let request = Request::of(operation, path, base_oid);
        self.lock(rules).request(operation.id(&self.secret), request, operation, rules)
    }

    /// Returns the requested calls that have neither a plan nor an answer, the oldest first.
    pub fn requests(&self, rules: Rules) -> Vec<(Session, Arc<Request>)> {
        let state = self.lock(rules);
        let unplanned = state.in_order().filter(|waiting| waiting.plan.is_none());
        unplanned
            .filter_map(|waiting| Some((waiting.session().clone(), waiting.request.clone()?)))
            .gather()
    }

    /// Records the plan of a requested call; it may be approved from now on, and only the holder of
    /// the host's key sees it.
    ///
    /// # Errors
    /// `not_found` when the call does not wait, `declined` and `too_large` as [`Self::propose`].
    pub fn plan(&self, operation: &Operation<'_>, proposal: Proposal, rules: Rules) -> Result<()> {
        let (id, planned) = self.planned(operation, proposal);
        self.lock(rules).plan(id, planned, rules)
    }

    fn planned(&self, operation: &Operation<'_>, proposal: Proposal) -> (Digest, Planned) {
        (operation.id(&self.secret), Planned::new(operation, proposal, &self.secret))
    }

    /// Refuses another proposal of a session that has reached its quota.
    ///
    /// # Errors
    /// `too_large`.
    pub fn check_quota(&self, operation: &Operation<'_>, rules: Rules) -> Result<()> {
        let state = self.lock(rules);
        match state.get(&operation.id(&self.secret)) {
            Some(_) => Ok(()),
            None => state.check_quota(operation.session, rules),
        }
    }

    /// Records the approval of `payload` by `by` and returns its approval id.
    ///
    /// # Errors
    /// `not_found` when no such operation waits, `invalid_args` when the payload differs from the
    /// one that was proposed under its id: the person would not have seen what is then done.
    pub fn approve(
        &self,
        payload: &Payload,
        scope: Scope,
        by: &str,
        rules: Rules,
    ) -> Result<String> {
        let mut state = self.lock(rules);
        let (id, waiting) = state.named(payload.approval_id())?;
        let plan = shown_plan(waiting.plan.as_ref(), payload)?;
        let (results, may_be_covered) = (plan.results.clone(), plan.may_be_covered);
        let given = Approval {
            id: id.to_string(),
            scope,
            session: waiting.session().clone(),
            tool: waiting.covered[0].tool,
            path: payload.path().to_owned(),
            by: by.to_owned(),
            since: rules.now,
        };
        let covered = scope.of(&waiting.covered).cloned();
        let is_once = covered.is_none() || !may_be_covered;
        if is_once {
            waiting.approved = Some(given.clone());
        }
        state.declined.retain(|result, (declined, _)| *declined != id && !results.contains(result));
        match is_once {
            true => state.renew(id, rules.now),
            false => drop(state.remove(id)),
        }
        if let Some(covered) = covered {
            state.covered.slot(covered).or_default().add(given);
        }
        Ok(payload.approval_id().to_owned())
    }

    /// Records that a person declined `payload`, and removes the operation from those that wait;
    /// returns its approval id. Until the time to live has passed, every operation of the session
    /// that has the same result on the same state of one of its files is declined without a
    /// question, whatever its tool, its arguments and its other files.
    ///
    /// # Errors
    /// As [`Self::approve`].
    pub fn decline(&self, payload: &Payload, rules: Rules) -> Result<String> {
        let mut state = self.lock(rules);
        let (id, waiting) = state.named(payload.approval_id())?;
        let results = shown_plan(waiting.plan.as_ref(), payload)?.results.clone();
        let same = |plan: &Planned| plan.results.iter().any(|result| results.contains(result));
        let waiting = state.iter().filter(|(_, waiting)| waiting.approved.is_none());
        let waiting = waiting.filter(|(_, waiting)| waiting.plan.as_ref().is_some_and(same));
        let ids: Vec<Digest> = waiting.map(|(id, _)| *id).chain([id]).gather();
        for id in ids {
            state.remove(id);
        }
        state.declined.add_all(results.into_iter().map(|result| (result, (id, rules.now))));
        Ok(payload.approval_id().to_owned())
    }

    /// Refuses an operation that a person has declined: the same call, on any state of its files,
    /// or another one with the same result for one of them.
    ///
    /// # Errors
    /// `declined`.
    pub fn check_declined(
        &self,
        operation: &Operation<'_>,
        outline: &str,
        rules: Rules,
    ) -> Result<()> {
        let state = self.lock(rules);
        if state.around(operation).is_some() {
            return Ok(());
        }
        let id = operation.id(&self.secret);
        if state.declined.values().any(|(declined, _)| *declined == id) {
            return Err(declined(outline));
        }
        state.check_declined(&operation.results(&self.secret), outline)
    }

    /// Returns the approval of an operation and uses it up; one of a wider scope that covers it
    /// stays. What was approved is the result on the state that was shown, so that a plan with the
    /// same digest writes the same bytes.
    ///
    /// Without an approval the operation is proposed; without a `proposal` nothing is recorded.
    /// `outline` is the part that the caller may see.
    ///
    /// # Errors
    /// `approval_required` without an approval, `declined` after a person declined it, `stale` if
    /// it was approved but a file has changed since; that approval is void. `too_large` as
    /// [`Self::propose`].
    pub fn consume(
        &self,
        operation: &Operation<'_>,
        proposal: Option<Proposal>,
        outline: &str,
        rules: Rules,
    ) -> Result<Approval> {
        let mut state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        if state.approved(&id).is_some()
            && let Some(waiting) = state.remove(id)
            && let (Some(plan), Some(given)) = (waiting.plan, waiting.approved)
        {
            if plan.state == now {
                return Ok(given);
            }
            if !state.is_covered(operation) {
                return Err(outdated(outline));
            }
        }
        if let Some(given) = state.covering(operation).cloned() {
            state.remove(id);
            return Ok(given);
        }
        if let Some(proposal) = proposal {
            let (id, planned) = self.planned(operation, proposal);
            state.propose(id, planned, operation, rules)?;
        }
        Err(required(outline, id))
    }

    /// Voids the approval of an operation that can no longer be planned because of `error`; returns
    /// what its caller may see: the error itself only if the approval covers more than the payload
    /// that was shown.
    pub fn void(
        &self,
        operation: &Operation<'_>,
        outline: &str,
        error: Error,
        rules: Rules,
    ) -> Error {
        let mut state = self.lock(rules);
        state.remove(operation.id(&self.secret));
        if state.around(operation).is_some() { error } else { outdated(outline) }
    }

    /// Tells whether the operation would be done without a question.
    pub fn allows(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        state.is_covered(operation) || state.approved(&id).is_some_and(|given| given.has_state(now))
    }

    /// Tells whether a person has decided on the call, on this state of its files or another one,
    /// or on such calls, which it may turn out to be.
    pub fn has_answer(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        state.around(operation).is_some() || state.approved(&operation.id(&self.secret)).is_some()
    }

    /// Tells whether an approval of a scope wider than `once` covers the operation.
    pub fn covers(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        self.lock(rules).is_covered(operation)
    }

    /// Returns a chunk, from 1, of the text of a payload, which is named by its `fetch_url` or its
    /// approval id. Chunks of a payload that its session must not read unseen are returned to the
    /// holder of the host's key only; for others they do not exist, as if the operation could not
    /// be planned.
    ///
    /// # Errors
    /// `not_found` when no such operation waits, `invalid_args` when there is no such chunk.
    pub fn chunk(
        &self,
        reference: &str,
        number: u64,
        holds_key: bool,
        rules: Rules,
    ) -> Result<String> {
        let mut state = self.lock(rules);
        let id = approval_id(reference);
        let waiting = state.named(id)?.1;
        match &waiting.plan {
            Some(plan) if holds_key || waiting.request.is_none() => {
                plan.proposal.chunk(number).map(str::to_owned)
            }
            _ => Err(nothing_waits(id)),
        }
    }

    /// Returns the proposals that are not approved yet, with their sessions, the oldest first.
    pub fn waiting(&self, rules: Rules) -> Vec<(Session, Arc<Proposal>)> {
        let state = self.lock(rules);
        let planned = state
            .in_order()
            .filter_map(|waiting| Some((waiting.session().clone(), waiting.proposal()?.clone())));
        planned.gather()
    }

    /// Returns the approvals that are not used up, the oldest first.
    pub fn given(&self, rules: Rules) -> Vec<Approval> {
        let state = self.lock(rules);
        let once = state.iter().filter_map(|(_, waiting)| waiting.approved.as_ref());
        let wide = state.covered.values().flatten();
        let mut given: Vec<Approval> = once.chain(wide).cloned().gather();
        given.order_by(|one, two| (one.since, &one.id).cmp(&(two.since, &two.id)));
        // One of a wide scope also allows once what was shown and is not of its kind.
        given.dedup_by(|one, two| (one.since, &one.id) == (two.since, &two.id));
        given
    }

    /// Withdraws the approval or the decline under an id, and forgets an operation that waits under
    /// it.
    ///
    /// # Errors
    /// `not_found` when there is none of them.
    pub fn withdraw(&self, id: &str, rules: Rules) -> Result<()> {
        let mut state = self.lock(rules);
        let Some(digest) = Digest::parse(id) else { return Err(nothing_given(id)) };
        let name = digest.to_string();
        let before = state.held();
        state.keep_covered(|given| given.id != name);
        state.declined.retain(|_, (declined, _)| *declined != digest);
        state.remove(digest);
        if state.held() == before {
            return Err(nothing_given(id));
        }
        Ok(())
    }

    /// Locks the state, after removing entries older than the time to live.
    fn lock(&self, rules: Rules) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.expire(rules);
        state
    }
}

/// Returns the plan of a waiting operation if the payload shows it; otherwise the person would
/// decide on something else than they saw.
fn shown_plan<'p>(plan: Option<&'p Planned>, payload: &Payload) -> Result<&'p Planned> {
    let plan = plan.ok_or_else(|| nothing_waits(payload.approval_id()))?;
    if plan.proposal.payload == *payload {
        return Ok(plan);
    }
    Err(Error::invalid_args("the payload is not the one that waits under its approval_id").with_hint(
        "Show and approve the payload unchanged; if the file has changed since, show the payload that waits now",
    ))
}

/// Returns the error for a void approval.
fn outdated(outline: &str) -> Error {
    Error::stale(format!("the file has changed since \"{outline}\" was approved"))
        .with_hint("Ask again: needs_approval shows what it would do now")
}

/// Returns the error for an id that has nothing to withdraw.
fn nothing_given(id: &str) -> Error {
    Error::not_found(format!("no approval and no waiting operation has the id {}", quoted(id)))
        .with_hint(
            "approvals_given() lists what was approved; it may have been used up or have expired",
        )
}

/// Returns the error for an operation that a person must decide on.
pub fn required(outline: &str, id: Digest) -> Error {
    Error::approval_required(format!("\"{outline}\" waits for a person under the id {id}"))
        .with_hint("Call it again when the host has approved it")
}

#[cfg(test)]
mod tests;
