//! What waits for a person, and what a person has said yes to.
//!
//! In memory, for one database: whoever opens the database owns one [`Approvals`], and nothing is
//! shared between two. The clock is the caller's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::operation::{Operation, Session};
use super::payload::Payload;
use super::proposal::{Proposal, approval_id};
use super::scope::Scope;
use super::secret::{Digest, Secret};
use super::waiting::{Given, Planned, Request, Rules, State, Taken, declined, nothing_waits};
use crate::error::{Error, Result, quoted};

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
    /// `too_large` when the session has proposed as much as it may, `declined` when a person has
    /// said no to it.
    pub fn propose(
        &self,
        operation: &Operation<'_>,
        proposal: Proposal,
        rules: Rules,
    ) -> Result<()> {
        let (id, planned) = self.planned(operation, proposal);
        self.lock(rules).propose(id, planned, operation, rules)
    }

    /// Records a call on the file that is shown as `path`, which must not be read unseen: one place
    /// and the bytes of its arguments, whatever the file holds, and whether it is there. It is
    /// planned for a person alone.
    ///
    /// # Errors
    /// `too_large` when the session has proposed as much as it may.
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

    /// Returns the calls that were requested, have not been planned and have no answer, the oldest
    /// first.
    pub fn requests(&self, rules: Rules) -> Vec<(Session, Arc<Request>)> {
        let state = self.lock(rules);
        let unplanned = state.in_order().filter(|waiting| waiting.plan.is_none());
        unplanned
            .filter_map(|waiting| Some((waiting.session().clone(), waiting.request.clone()?)))
            .collect()
    }

    /// Records what a call would do that was requested; it may be approved from now on, and only
    /// the holder of the host's key is shown it.
    ///
    /// # Errors
    /// `not_found` when it does not wait, `declined` and `too_large` as [`Self::propose`].
    pub fn plan(&self, operation: &Operation<'_>, proposal: Proposal, rules: Rules) -> Result<()> {
        let (id, planned) = self.planned(operation, proposal);
        self.lock(rules).plan(id, planned, rules)
    }

    fn planned(&self, operation: &Operation<'_>, proposal: Proposal) -> (Digest, Planned) {
        let digests = [operation.state(&self.secret), operation.outcome(&self.secret)];
        (operation.id(&self.secret), Planned::new(digests, operation.result, proposal))
    }

    /// Refuses another proposal of a session that has made as many as it may.
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

    /// Records the yes of `by` to what `payload` shows and returns its approval id.
    ///
    /// # Errors
    /// `not_found` when no such operation waits, `invalid_args` when the payload is not the one
    /// that was proposed under its id: what was shown would not be what is done.
    pub fn approve(
        &self,
        payload: &Payload,
        scope: Scope,
        by: &str,
        rules: Rules,
    ) -> Result<String> {
        let mut state = self.lock(rules);
        let (id, waiting) = state.named(payload.approval_id())?;
        let outcome = outcome_of(waiting.plan.as_ref(), payload)?;
        let given = Given {
            id: id.to_string(),
            scope,
            session: waiting.session().clone(),
            tool: waiting.covered[0].tool,
            path: payload.path().to_owned(),
            by: by.to_owned(),
            since: rules.now,
        };
        let covered = scope.of(&waiting.covered).cloned();
        if covered.is_none() {
            waiting.approved = Some(given.clone());
        }
        state.declined.remove(&outcome);
        state.declined.retain(|_, (declined, _)| *declined != id);
        match covered {
            // It stands in one place, so that what is listed is all that can be withdrawn.
            Some(covered) => {
                state.remove(id);
                state.covered.entry(covered).or_default().push(given);
            }
            None => state.renew(id, rules.now),
        }
        Ok(payload.approval_id().to_owned())
    }

    /// Records the no of a person to what `payload` shows, and forgets that it waits; returns its
    /// approval id. Until the time to live has passed, what leads to the same result on the same
    /// state of the file is declined without a question, whatever the arguments.
    ///
    /// # Errors
    /// As [`Self::approve`].
    pub fn decline(&self, payload: &Payload, rules: Rules) -> Result<String> {
        let mut state = self.lock(rules);
        let (id, waiting) = state.named(payload.approval_id())?;
        let outcome = outcome_of(waiting.plan.as_ref(), payload)?;
        let same = |plan: &Planned| plan.outcome == outcome;
        let waiting = state.iter().filter(|(_, waiting)| waiting.approved.is_none());
        let waiting = waiting.filter(|(_, waiting)| waiting.plan.as_ref().is_some_and(same));
        let ids: Vec<Digest> = waiting.map(|(id, _)| *id).chain([id]).collect();
        for id in ids {
            state.remove(id);
        }
        state.declined.insert(outcome, (id, rules.now));
        Ok(payload.approval_id().to_owned())
    }

    /// Refuses an operation to which a person has said no, on whatever state of the file.
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
        let id = operation.id(&self.secret);
        let is_declined = state.declined.values().any(|(declined, _)| *declined == id);
        if is_declined && !state.is_covered(operation) { Err(declined(outline)) } else { Ok(()) }
    }

    /// Returns what an approved operation writes, which is what was proposed, with the yes, and
    /// uses the approval up. Where an approval of a wider scope covers the operation, it is its own
    /// result.
    ///
    /// Where nothing allows it, the operation is proposed; without a `proposal` it was requested.
    /// `outline` is what the caller may be told of it.
    ///
    /// # Errors
    /// `approval_required` when nobody has said yes, `declined` when somebody has said no, `stale`
    /// when somebody has said yes, but the file has changed since; that approval is void.
    /// `too_large` as [`Self::propose`].
    pub fn take(
        &self,
        operation: &Operation<'_>,
        proposal: Option<Proposal>,
        outline: &str,
        rules: Rules,
    ) -> Result<Taken> {
        let mut state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        if state.approved(&id).is_some()
            && let Some(waiting) = state.remove(id)
            && let Some(plan) = waiting.plan
        {
            if plan.state == now {
                return Ok(Taken { result: plan.result, given: waiting.approved });
            }
            if !state.is_covered(operation) {
                return Err(outdated(outline));
            }
        }
        if let Some(given) = state.covering(operation).cloned() {
            state.remove(id);
            let result = operation.result.unwrap_or_default().into();
            return Ok(Taken { result, given: Some(given) });
        }
        if let Some(proposal) = proposal {
            let (id, planned) = self.planned(operation, proposal);
            state.propose(id, planned, operation, rules)?;
        }
        Err(required(outline, id))
    }

    /// Voids the yes to an operation that can no longer be planned, for `error`; returns what its
    /// caller may be told: the error itself only where the yes is for more than what was shown.
    pub fn void(
        &self,
        operation: &Operation<'_>,
        outline: &str,
        error: Error,
        rules: Rules,
    ) -> Error {
        let mut state = self.lock(rules);
        state.remove(operation.id(&self.secret));
        if state.is_covered(operation) { error } else { outdated(outline) }
    }

    /// Tells whether the operation would be done without another question.
    pub fn allows(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        state.is_covered(operation) || state.approved(&id).is_some_and(|given| given.has_state(now))
    }

    /// Tells whether a person has decided on the operation, on this state of the file or on
    /// another.
    pub fn has_answer(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        state.is_covered(operation) || state.approved(&operation.id(&self.secret)).is_some()
    }

    /// Tells whether an approval of a scope wider than `once` covers the operation.
    pub fn covers(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        self.lock(rules).is_covered(operation)
    }

    /// Returns a chunk, from 1, of the text of a payload, which is named by its `fetch_url` or its
    /// approval id. Of what its session must not read unseen only the holder of the host's key gets
    /// one; to others it is not there, as what could not be planned.
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

    /// Returns the payloads that nobody has approved yet and for whom they wait, the oldest first.
    pub fn waiting(&self, rules: Rules) -> Vec<(Session, Payload)> {
        let state = self.lock(rules);
        let planned = state
            .in_order()
            .filter_map(|waiting| Some((waiting.session().clone(), waiting.payload()?.clone())));
        planned.collect()
    }

    /// Returns what was approved and not used up, the oldest first.
    pub fn given(&self, rules: Rules) -> Vec<Given> {
        let state = self.lock(rules);
        let once = state.iter().filter_map(|(_, waiting)| waiting.approved.as_ref());
        let wide = state.covered.values().flatten();
        let mut given: Vec<Given> = once.chain(wide).cloned().collect();
        given.sort_by(|one, two| (one.since, &one.id).cmp(&(two.since, &two.id)));
        given
    }

    /// Takes back what was approved or declined under an id, and forgets what waits under it.
    ///
    /// # Errors
    /// `not_found` when there is neither.
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

    /// Locks the state, without what is older than the time to live.
    fn lock(&self, rules: Rules) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.expire(rules);
        state
    }
}

/// Returns the outcome of what waits, if it is what the payload shows: else what was shown would
/// not be what is decided on.
fn outcome_of(plan: Option<&Planned>, payload: &Payload) -> Result<Digest> {
    let plan = plan.ok_or_else(|| nothing_waits(payload.approval_id()))?;
    if plan.proposal.payload == *payload {
        return Ok(plan.outcome);
    }
    Err(Error::invalid_args("the payload is not the one that waits under its approval_id").with_hint(
        "Show and approve the payload unchanged; if the file has changed since, show the payload that waits now",
    ))
}

/// Returns the error that says that a yes is void.
fn outdated(outline: &str) -> Error {
    Error::stale(format!("the file has changed since \"{outline}\" was approved"))
        .with_hint("Ask again: needs_approval shows what it would do now")
}

/// Returns the error for an id that has nothing to withdraw.
fn nothing_given(id: &str) -> Error {
    Error::not_found(format!("nothing was approved or waits under the id {}", quoted(id)))
        .with_hint(
            "approvals_given() lists what was approved; it may have been used up or have expired",
        )
}

/// Returns the error that says that a person must decide.
pub fn required(outline: &str, id: Digest) -> Error {
    Error::approval_required(format!("\"{outline}\" waits for a person under the id {id}"))
        .with_hint("Call it again when the host has approved it")
}

#[cfg(test)]
mod tests;
