//! What waits for a person, and what a person has said yes to.
//!
//! In memory, for one database: whoever opens the database owns one [`Approvals`], and nothing is
//! shared between two. The clock is the caller's.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::operation::{FileTool, Operation, Session};
use super::payload::Payload;
use super::proposal::{Proposal, approval_id};
use super::scope::{Covered, Scope};
use super::secret::{Digest, Secret};
use crate::error::{Error, Result, quoted};

/// The time of a call, and what holds while it is made.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Now.
    pub now: Instant,
    /// How long proposals and approvals hold.
    pub ttl: Duration,
    /// The proposals that may wait for one session.
    pub proposals: usize,
    /// The bytes of all that wait.
    pub bytes: usize,
}

/// A yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// The id of what was shown when it was given.
    pub id: String,
    /// How much it is for.
    pub scope: Scope,
    /// For whom.
    pub session: Session,
    /// What is done.
    pub tool: FileTool,
    /// The path that was shown.
    pub path: String,
    /// Who said it.
    pub by: String,
    /// When.
    pub since: Instant,
}

/// An operation that was proposed.
#[derive(Debug)]
struct Waiting {
    state: Digest,
    /// What becomes of the file, whatever arguments lead to it.
    outcome: Digest,
    proposal: Proposal,
    result: Arc<[u8]>,
    covered: [Covered; 3],
    bytes: usize,
    /// Its place in `State::order`.
    since: (Instant, u64),
    /// The yes to it.
    approved: Option<Given>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<Digest, Waiting>,
    /// The ids of `waiting`, the oldest first: since when they wait, or were approved.
    order: BTreeMap<(Instant, u64), Digest>,
    /// The bytes of all that wait: of what its session may see, and of what is hidden from it. Were they counted
    /// together, what is forgotten would tell a session how much is hidden from it.
    bytes: [usize; 2],
    /// How many proposals of each session count against its quota.
    sessions: HashMap<Session, usize>,
    /// Operations on files that must not be read unseen, and since when they count against the quota of their
    /// session: whether they could be planned or not.
    unseen: HashMap<Digest, (Session, Instant)>,
    /// Approvals of wider scopes, which stand here alone.
    covered: HashMap<Covered, Vec<Given>>,
    /// The outcomes that a person has said no to: the id under which each was shown, and when.
    declined: HashMap<Digest, (Digest, Instant)>,
    /// What tells two moments apart that the clock does not.
    counter: u64,
}

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
    /// `too_large` when the session has proposed as much as it may, `declined` when a person has said no to it.
    pub fn propose(
        &self,
        operation: &Operation<'_>,
        proposal: Proposal,
        rules: Rules,
    ) -> Result<()> {
        let id = operation.id(&self.secret);
        let (now, outcome) = (operation.state(&self.secret), operation.outcome(&self.secret));
        self.lock(rules).propose(id, [now, outcome], operation, proposal, rules)
    }

    /// Refuses another proposal of a session that has made as many as it may.
    ///
    /// # Errors
    /// `too_large`.
    pub fn check_quota(&self, operation: &Operation<'_>, rules: Rules) -> Result<()> {
        let state = self.lock(rules);
        if state.is_counted(&operation.id(&self.secret)) {
            return Ok(());
        }
        state.check_quota(operation.session, rules)
    }

    /// Counts an operation on a file that must not be read unseen: one place each, whatever the file holds, and
    /// whether it is there.
    ///
    /// # Errors
    /// `too_large` when the session has proposed as much as it may.
    pub fn count_unseen(&self, operation: &Operation<'_>, rules: Rules) -> Result<()> {
        let mut state = self.lock(rules);
        let id = operation.id(&self.secret);
        if !state.unseen.contains_key(&id) {
            if !state.waiting.contains_key(&id) {
                state.check_quota(operation.session, rules)?;
                state.count(operation.session);
            }
            state.unseen.insert(id, (operation.session.clone(), rules.now));
        }
        Ok(())
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
        let (id, waiting) = state.waiting_for(payload.approval_id())?;
        waiting.check(payload)?;
        let given = Given {
            id: id.to_string(),
            scope,
            session: waiting.covered[0].session.clone(),
            tool: waiting.covered[0].tool,
            path: payload.path().to_owned(),
            by: by.to_owned(),
            since: rules.now,
        };
        let (covered, outcome) = (scope.of(&waiting.covered).cloned(), waiting.outcome);
        if covered.is_none() {
            waiting.approved = Some(given.clone());
        }
        state.declined.remove(&outcome);
        state.declined.retain(|_, (declined, _)| *declined != id);
        match covered {
            // It stands in one place, so that what is listed is all that can be withdrawn.
            Some(covered) => {
                state.settle(id);
                state.covered.entry(covered).or_default().push(given);
            }
            None => state.renew(id, rules.now),
        }
        Ok(payload.approval_id().to_owned())
    }

    /// Records the no of a person to what `payload` shows, and forgets that it waits; returns its approval id. Until
    /// the time to live has passed, what leads to the same result on the same state of the file is declined without a question, whatever the arguments.
    ///
    /// # Errors
    /// As [`Self::approve`].
    pub fn decline(&self, payload: &Payload, rules: Rules) -> Result<String> {
        let mut state = self.lock(rules);
        let (id, waiting) = state.waiting_for(payload.approval_id())?;
        waiting.check(payload)?;
        let outcome = waiting.outcome;
        let same = |waiting: &&Waiting| waiting.outcome == outcome && waiting.approved.is_none();
        let ids = state.waiting.iter().filter(|(_, waiting)| same(waiting)).map(|(id, _)| *id);
        let ids: Vec<Digest> = ids.chain([id]).collect();
        ids.into_iter().for_each(|id| state.settle(id));
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

    /// Returns what an approved operation writes, which is what was proposed, and uses the
    /// approval up. Where an approval of a wider scope covers the operation, it is its own result.
    ///
    /// Where nothing allows it, the operation is proposed. `outline` is what the caller may be told of it.
    ///
    /// # Errors
    /// `approval_required` when nobody has said yes, `declined` when somebody has said no, `stale` when
    /// somebody has said yes, but the file has changed since; that approval is void. `too_large` as
    /// [`Self::propose`].
    pub fn take(
        &self,
        operation: &Operation<'_>,
        proposal: Proposal,
        outline: &str,
        rules: Rules,
    ) -> Result<Arc<[u8]>> {
        let mut state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        let approved = state.waiting.get(&id).filter(|waiting| waiting.approved.is_some());
        let is_outdated = approved.is_some_and(|waiting| waiting.state != now);
        if approved.is_some()
            && let Some(waiting) = state.remove(id)
        {
            state.settle(id);
            if !is_outdated {
                return Ok(waiting.result);
            }
            if !state.is_covered(operation) {
                return Err(Error::stale(format!(
                    "the file has changed since \"{outline}\" was approved"
                ))
                .with_hint("Ask again: needs_approval shows what it would do now"));
            }
        }
        if state.is_covered(operation) {
            state.settle(id);
            return Ok(operation.result.unwrap_or_default().into());
        }
        state.propose(id, [now, operation.outcome(&self.secret)], operation, proposal, rules)?;
        Err(required(outline, id))
    }

    /// Tells whether the operation would be done without another question.
    pub fn allows(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        let (id, now) = (operation.id(&self.secret), operation.state(&self.secret));
        let approved = state.waiting.get(&id).filter(|waiting| waiting.approved.is_some());
        state.is_covered(operation) || approved.is_some_and(|waiting| waiting.state == now)
    }

    /// Tells whether a person has decided on the operation, on this state of the file or on another.
    pub fn has_answer(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        let state = self.lock(rules);
        let waiting = state.waiting.get(&operation.id(&self.secret));
        state.is_covered(operation) || waiting.is_some_and(|waiting| waiting.approved.is_some())
    }

    /// Tells whether an approval of a scope wider than `once` covers the operation.
    pub fn covers(&self, operation: &Operation<'_>, rules: Rules) -> bool {
        self.lock(rules).is_covered(operation)
    }

    /// Returns a chunk, from 1, of the text of a payload, which is named by its `fetch_url` or its
    /// approval id. Of what its session must not read unseen only the holder of the host's key gets one; to others it
    /// is not there, as what could not be planned.
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
        let proposal = &state.waiting_for(id)?.1.proposal;
        if proposal.is_hidden() && !holds_key {
            return Err(nothing_waits(id));
        }
        proposal.chunk(number).map(str::to_owned)
    }

    /// Returns the payloads that nobody has approved yet and for whom they wait, the oldest first.
    pub fn waiting(&self, rules: Rules) -> Vec<(Session, Payload)> {
        let state = self.lock(rules);
        let in_order = state.order.values().filter_map(|id| state.waiting.get(id));
        let unapproved = in_order.filter(|waiting| waiting.approved.is_none());
        unapproved
            .map(|waiting| (waiting.covered[0].session.clone(), waiting.proposal.payload.clone()))
            .collect()
    }

    /// Returns what was approved and not used up, the oldest first.
    pub fn given(&self, rules: Rules) -> Vec<Given> {
        let state = self.lock(rules);
        let once = state.waiting.values().filter_map(|waiting| waiting.approved.as_ref());
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
        let held = |state: &State| {
            let wide: usize = state.covered.values().map(Vec::len).sum();
            wide + state.declined.len() + state.waiting.len()
        };
        let before = held(&state);
        state.keep_covered(|given| given.id != name);
        state.declined.retain(|_, (declined, _)| *declined != digest);
        state.settle(digest);
        if held(&state) == before {
            return Err(nothing_given(id));
        }
        Ok(())
    }

    /// Locks the state, without what is older than the time to live.
    fn lock(&self, rules: Rules) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |since: Instant| rules.now.saturating_duration_since(since) <= rules.ttl;
        while let Some((&(since, _), &id)) = state.order.first_key_value()
            && !holds(since)
        {
            state.remove(id);
        }
        // These are few: a person has given each.
        state.keep_covered(|given| holds(given.since));
        let expired = |(_, (_, since)): &(&Digest, &(Session, Instant))| !holds(*since);
        let expired: Vec<Digest> = state.unseen.iter().filter(expired).map(|(id, _)| *id).collect();
        expired.into_iter().for_each(|id| state.uncount_unseen(id));
        state.declined.retain(|_, (_, since)| holds(*since));
        state
    }
}

/// Returns the error that says that a person has decided against it.
fn declined(outline: &str) -> Error {
    Error::declined(format!("a person has said no to \"{outline}\""))
        .with_hint("This is final for this change: do not ask again; propose another one, or ask the person what is wanted")
}

/// Returns the error for an id under which nothing waits.
fn nothing_waits(id: &str) -> Error {
    Error::not_found(format!("no operation waits under the approval_id {}", quoted(id))).with_hint(
        "It was carried out, has expired or belongs to another database; call needs_approval again",
    )
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

impl Waiting {
    /// Refuses a payload that is not the one that waits: what was shown would not be what is decided on.
    fn check(&self, payload: &Payload) -> Result<()> {
        if self.proposal.payload == *payload {
            return Ok(());
        }
        Err(Error::invalid_args("the payload is not the one that waits under its approval_id").with_hint(
            "Show and approve the payload unchanged; if the file has changed since, show the payload that waits now",
        ))
    }
}

impl State {
    fn is_covered(&self, operation: &Operation<'_>) -> bool {
        !self.covered.is_empty()
            && Covered::around(operation).iter().any(|covered| self.covered.contains_key(covered))
    }

    fn propose(
        &mut self,
        id: Digest,
        [now, outcome]: [Digest; 2],
        operation: &Operation<'_>,
        proposal: Proposal,
        rules: Rules,
    ) -> Result<()> {
        if self.waiting.get(&id).is_some_and(|waiting| waiting.state == now) {
            // An agent gives what waits, or was approved, no more time than it has.
            return Ok(());
        }
        if self.declined.contains_key(&outcome) {
            return Err(declined(proposal.payload.description()));
        }
        // What waits for the same on another state of the file makes room.
        self.remove(id);
        let is_counted = self.is_counted(&id);
        if !is_counted {
            self.check_quota(operation.session, rules)?;
        }
        let result: Arc<[u8]> = operation.result.unwrap_or_default().into();
        let bytes = result.len() + proposal.held_bytes();
        if bytes > rules.bytes {
            return Err(Error::too_large(format!(
                "the proposal takes {bytes} bytes, and redline_max_waiting_bytes is {}",
                rules.bytes
            ))
            .with_hint("Propose less at once, or ask the host to raise the limit"));
        }
        self.counter += 1;
        let since = (rules.now, self.counter);
        let covered = Covered::around(operation);
        let waiting = Waiting {
            state: now,
            outcome,
            bytes,
            proposal,
            result,
            covered,
            since,
            approved: None,
        };
        self.order.insert(since, id);
        let pool = usize::from(waiting.proposal.is_hidden());
        self.bytes[pool] += bytes;
        if !is_counted {
            self.count(operation.session);
        }
        self.waiting.insert(id, waiting);
        self.forget_oldest(id, pool, rules.bytes);
        Ok(())
    }

    fn check_quota(&self, session: &Session, rules: Rules) -> Result<()> {
        let made = self.sessions.get(session).copied().unwrap_or_default();
        if made < rules.proposals {
            return Ok(());
        }
        Err(Error::too_large(format!(
            "{made} proposals of this session wait, and redline_max_proposals is {}",
            rules.proposals
        ))
        .with_hint("Wait until the host has decided on them, or they have expired"))
    }

    /// Forgets what nobody has approved until the rest fits: the oldest of the session that holds most.
    fn forget_oldest(&mut self, newest: Digest, pool: usize, most: usize) {
        if self.bytes[pool] <= most {
            return;
        }
        let mut held: HashMap<Session, (usize, VecDeque<Digest>)> = HashMap::new();
        for id in self.order.values() {
            let Some(waiting) = self.waiting.get(id) else { continue };
            let is_in_pool = usize::from(waiting.proposal.is_hidden()) == pool;
            if is_in_pool && waiting.approved.is_none() {
                let (bytes, ids) = held.entry(waiting.covered[0].session.clone()).or_default();
                *bytes += waiting.bytes;
                ids.extend((*id != newest).then_some(*id));
            }
        }
        while self.bytes[pool] > most {
            let candidates = held.values_mut().filter(|(_, ids)| !ids.is_empty());
            let Some((bytes, ids)) = candidates.max_by_key(|(bytes, _)| *bytes) else { return };
            let Some(waiting) = ids.pop_front().and_then(|id| self.remove(id)) else { return };
            *bytes -= waiting.bytes;
        }
    }

    /// Forgets what waits under an id, and that it counts against a quota: a person has decided, or it was carried out.
    fn settle(&mut self, id: Digest) {
        self.remove(id);
        self.uncount_unseen(id);
    }

    fn uncount_unseen(&mut self, id: Digest) {
        if let Some((session, _)) = self.unseen.remove(&id)
            && !self.waiting.contains_key(&id)
        {
            self.uncount(&session);
        }
    }

    fn is_counted(&self, id: &Digest) -> bool {
        self.waiting.contains_key(id) || self.unseen.contains_key(id)
    }

    fn count(&mut self, session: &Session) {
        *self.sessions.entry(session.clone()).or_default() += 1;
    }

    fn uncount(&mut self, session: &Session) {
        if let Some(count) = self.sessions.get_mut(session) {
            *count -= 1;
            if *count == 0 {
                self.sessions.remove(session);
            }
        }
    }

    fn keep_covered(&mut self, keep: impl Fn(&Given) -> bool) {
        self.covered.retain(|_, given| {
            given.retain(&keep);
            !given.is_empty()
        });
    }

    fn remove(&mut self, id: Digest) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        self.order.remove(&waiting.since);
        self.bytes[usize::from(waiting.proposal.is_hidden())] -= waiting.bytes;
        if !self.unseen.contains_key(&id) {
            self.uncount(&waiting.covered[0].session);
        }
        Some(waiting)
    }

    /// Starts the time of what waits anew.
    fn renew(&mut self, id: Digest, now: Instant) {
        self.counter += 1;
        let since = (now, self.counter);
        if let Some(waiting) = self.waiting.get_mut(&id) {
            self.order.remove(&waiting.since);
            self.order.insert(since, id);
            waiting.since = since;
        }
    }

    fn waiting_for(&mut self, id: &str) -> Result<(Digest, &mut Waiting)> {
        let digest = Digest::parse(id).filter(|digest| digest.to_string() == id);
        let waiting = digest.and_then(|digest| Some((digest, self.waiting.get_mut(&digest)?)));
        waiting.ok_or_else(|| nothing_waits(id))
    }
}

#[cfg(test)]
#[path = "approvals_tests.rs"]
mod tests;
