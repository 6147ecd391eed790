//! The operations that wait for a person: proposals, and requests that are planned only for a
//! person. Counts both against the limits.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::approvals::operation::{FileTool, Operation, Session};
use crate::approvals::scope::{Covered, Scope};
use crate::approvals::secret::{Digest, Secret};
use crate::payload::proposal::Proposal;
use redline_base::budget::{Copied, Gather, Grow, GrowMap};
use redline_base::error::{Error, Result, quoted};
use redline_base::limits;

/// The time of a call, and the limits that apply to it.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Now.
    pub now: Instant,
    /// The time to live of proposals and approvals.
    pub ttl: Duration,
    /// The number of proposals that may wait for one session.
    pub proposals: usize,
    /// The bytes that all waiting operations may take.
    pub bytes: usize,
    /// The connection that calls; `None` for the holder of the host's key, who plans the requests
    /// of others.
    pub connection: Option<u64>,
}

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The id of the payload that was shown.
    pub id: String,
    /// The scope.
    pub scope: Scope,
    /// The session.
    pub session: Session,
    /// The tool.
    pub tool: FileTool,
    /// The path that was shown.
    pub path: String,
    /// The approver.
    pub by: String,
    /// The time of the decision.
    pub since: Instant,
}

/// A call on a file that its session must not read unseen; nothing in it depends on the file.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// The tool.
    pub tool: FileTool,
    /// The file, as `sandbox/relative/path`.
    pub path: String,
    /// The arguments that the result depends on, in order.
    pub arguments: Vec<Vec<u8>>,
    /// The version that the file must have.
    pub base_oid: Option<String>,
}

impl Request {
    /// Returns the request for an operation on the file that is shown as `path`.
    pub(crate) fn of(operation: &Operation<'_>, path: &str, base_oid: Option<&str>) -> Self {
        let arguments = operation.arguments.iter().map(|argument| argument.copied_vec()).gather();
        let base_oid = base_oid.map(str::to_owned);
        Self { tool: operation.tool, path: path.to_owned(), arguments, base_oid }
    }

    fn held_bytes(&self) -> usize {
        let arguments: usize = self.arguments.iter().map(Vec::len).sum();
        self.path.len() + arguments + self.base_oid.as_ref().map_or(0, String::len)
    }
}

/// The plan of an operation on the current files.
#[derive(Debug)]
pub(crate) struct Planned {
    pub state: Digest,
    /// The result for each path, whatever tool leads to it.
    pub results: Vec<Digest>,
    /// Whether an approval of a scope wider than `once` may cover it.
    pub may_be_covered: bool,
    pub proposal: Arc<Proposal>,
    bytes: usize,
}

impl Planned {
    pub fn new(operation: &Operation<'_>, proposal: Proposal, secret: &Secret) -> Self {
        let (state, results) = (operation.state(secret), operation.results(secret));
        let bytes = proposal.held_bytes();
        let may_be_covered = operation.may_be_covered();
        Self { state, results, may_be_covered, proposal: Arc::new(proposal), bytes }
    }
}

/// The accounts of bytes: operations that the session may see, requests for hidden files, and plans
/// that only a person sees. If they were counted together, the removal of entries would tell a
/// session how much is hidden from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pool {
    Shown,
    Requests,
    Hidden,
}

/// A proposed or requested operation.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub covered: [Covered; 3],
    /// The call, if its session must not see the plan.
    pub request: Option<Arc<Request>>,
    /// `None` while the file must not be read.
    pub plan: Option<Planned>,
    /// Its place in `State::order`.
    since: (Instant, u64),
    /// The connection whose quota it counts against.
    connection: Option<u64>,
    /// Its approval.
    pub approved: Option<Approval>,
}

impl Waiting {
    pub fn session(&self) -> &Session {
        &self.covered[0].session
    }

    /// Returns the proposal for the person.
    pub fn proposal(&self) -> Option<&Arc<Proposal>> {
        self.plan.as_ref().map(|plan| &plan.proposal)
    }

    pub fn has_state(&self, state: Digest) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.state == state)
    }

    fn bytes_in(&self, pool: Pool) -> usize {
        let plan = self.plan.as_ref().map_or(0, |plan| plan.bytes);
        match (pool, &self.request) {
            (Pool::Shown, None) | (Pool::Hidden, Some(_)) => plan,
            (Pool::Requests, Some(request)) => request.held_bytes(),
            _ => 0,
        }
    }
}

/// The waiting operations, and the decisions of the person.
#[derive(Debug, Default)]
pub(crate) struct State {
    waiting: HashMap<Digest, Waiting>,
    /// The ids of `waiting`, the oldest first, by the time since when they wait or are approved.
    order: BTreeMap<(Instant, u64), Digest>,
    /// The bytes of all waiting operations, for each [`Pool`].
    bytes: [usize; 3],
    /// The number of operations that wait for each session.
    sessions: HashMap<Session, usize>,
    /// The number of operations that wait for all sessions that a connection has named.
    connections: HashMap<u64, usize>,
    /// Approvals of wider scopes, which are only here.
    pub covered: HashMap<Covered, Vec<Approval>>,
    /// Declined results of files: the id under which each was shown, and the time.
    pub declined: HashMap<Digest, (Digest, Instant)>,
    /// Distinguishes entries with the same time.
    counter: u64,
}

impl State {
    pub fn is_covered(&self, operation: &Operation<'_>) -> bool {
        self.covering(operation).is_some()
    }

    /// Returns the approval with the narrowest scope that covers an operation.
    pub fn covering(&self, operation: &Operation<'_>) -> Option<&Approval> {
        self.around(operation).filter(|_| operation.may_be_covered())
    }

    /// Returns the approval with the narrowest scope around an operation, whatever it changes.
    pub fn around(&self, operation: &Operation<'_>) -> Option<&Approval> {
        if self.covered.is_empty() {
            return None;
        }
        let around = Covered::around(operation);
        around.iter().find_map(|covered| self.covered.get(covered)?.last())
    }

    pub fn get(&self, id: &Digest) -> Option<&Waiting> {
        self.waiting.get(id)
    }

    /// Returns the operation that was approved once under an id.
    pub fn approved(&self, id: &Digest) -> Option<&Waiting> {
        self.waiting.get(id).filter(|waiting| waiting.approved.is_some())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Digest, &Waiting)> {
        self.waiting.iter()
    }

    /// Returns the operations that are not approved yet, the oldest first.
    pub fn in_order(&self) -> impl Iterator<Item = &Waiting> {
        let waiting = self.order.values().filter_map(|id| self.waiting.get(id));
        waiting.filter(|waiting| waiting.approved.is_none())
    }

    /// Returns the operation that waits under an id given as a text.
    pub fn named(&mut self, id: &str) -> Result<(Digest, &mut Waiting)> {
        let digest = Digest::parse(id).filter(|digest| digest.to_string() == id);
        let waiting = digest.and_then(|digest| Some((digest, self.waiting.get_mut(&digest)?)));
        waiting.ok_or_else(|| nothing_waits(id))
    }

    /// Records the plan of an operation that its session may see.
    pub fn propose(
        &mut self,
        id: Digest,
        planned: Planned,
        operation: &Operation<'_>,
        rules: Rules,
    ) -> Result<()> {
        if self.waiting.get(&id).is_some_and(|waiting| waiting.has_state(planned.state)) {
            // An agent cannot prolong the time of an operation that waits or is approved.
            return Ok(());
        }
        self.check_planned(&planned)?;
        if !self.waiting.contains_key(&id) {
            self.check_quota(operation.session, rules)?;
        }
        check_bytes(planned.bytes, rules)?;
        // A plan for another state of the file is replaced.
        self.remove(id);
        self.insert(id, operation, None, Some(planned), rules);
        self.forget_oldest(id, Pool::Shown, rules.bytes);
        Ok(())
    }

    /// Records a call that is planned only for a person.
    pub fn request(
        &mut self,
        id: Digest,
        request: Request,
        operation: &Operation<'_>,
        rules: Rules,
    ) -> Result<()> {
        match self.waiting.get(&id) {
            Some(waiting)
                if waiting.approved.is_some() || waiting.request.as_deref() == Some(&request) =>
            {
                return Ok(());
            }
            // Its session could see the file then and cannot now, or means another version.
            Some(_) => drop(self.remove(id)),
            None => self.check_quota(operation.session, rules)?,
        }
        check_bytes(request.held_bytes(), rules)?;
        self.insert(id, operation, Some(Arc::new(request)), None, rules);
        self.forget_oldest(id, Pool::Requests, rules.bytes);
        Ok(())
    }

    /// Records the plan of a requested call, which only a person sees.
    pub fn plan(&mut self, id: Digest, planned: Planned, rules: Rules) -> Result<()> {
        let waiting = self.waiting.get(&id).filter(|waiting| waiting.request.is_some());
        let waiting = waiting.ok_or_else(|| nothing_waits(&id.to_string()))?;
        if waiting.has_state(planned.state) {
            return Ok(());
        }
        self.check_planned(&planned)?;
        check_bytes(planned.bytes, rules)?;
        self.unplan(id);
        self.bytes[Pool::Hidden as usize] += planned.bytes;
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.plan = Some(planned);
        }
        self.forget_oldest(id, Pool::Hidden, rules.bytes);
        Ok(())
    }

    /// Refuses an operation if a person has declined its result for one of its files.
    pub fn check_declined(&self, results: &[Digest], outline: &str) -> Result<()> {
        if results.iter().any(|result| self.declined.contains_key(result)) {
            return Err(declined(outline));
        }
        Ok(())
    }

    fn check_planned(&self, planned: &Planned) -> Result<()> {
        self.check_declined(&planned.results, planned.proposal.payload.description())
    }

    /// Refuses another proposal of a session, or of all sessions that a connection names, after its
    /// quota.
    pub fn check_quota(&self, session: &Session, rules: Rules) -> Result<()> {
        let hint = "Wait until the host has decided on them, or they have expired";
        let made = self.sessions.get(session).copied().unwrap_or_default();
        if made >= rules.proposals {
            return Err(Error::too_large(format!(
                "{made} proposals of this session wait, and redline_max_proposals is {}",
                rules.proposals
            ))
            .with_hint(hint));
        }
        let made = rules.connection.and_then(|number| self.connections.get(&number));
        let most = rules.proposals.saturating_mul(limits::SESSIONS_OF_CONNECTION);
        match made {
            Some(made) if *made >= most => Err(Error::too_large(format!(
                "{made} proposals of the sessions of this connection wait, and it may have {most}: redline_max_proposals for \
                 each of {} sessions",
                limits::SESSIONS_OF_CONNECTION
            ))
            .with_hint(hint)),
            _ => Ok(()),
        }
    }

    fn insert(
        &mut self,
        id: Digest,
        operation: &Operation<'_>,
        request: Option<Arc<Request>>,
        plan: Option<Planned>,
        rules: Rules,
    ) {
        self.counter += 1;
        let since = (rules.now, self.counter);
        let (covered, connection) = (Covered::around(operation), rules.connection);
        let waiting = Waiting { covered, request, plan, since, connection, approved: None };
        for pool in [Pool::Shown, Pool::Requests, Pool::Hidden] {
            self.bytes[pool as usize] += waiting.bytes_in(pool);
        }
        self.order.put(since, id);
        *self.sessions.slot(operation.session.clone()).or_default() += 1;
        if let Some(number) = connection {
            *self.connections.slot(number).or_default() += 1;
        }
        self.waiting.put(id, waiting);
    }

    /// Removes operations that are not approved until the rest fits: the oldest of the session that
    /// holds most.
    fn forget_oldest(&mut self, newest: Digest, pool: Pool, most: usize) {
        if self.bytes[pool as usize] <= most {
            return;
        }
        let mut held: HashMap<Session, (usize, VecDeque<Digest>)> = HashMap::new();
        for id in self.order.values() {
            let Some(waiting) = self.waiting.get(id) else { continue };
            let counted = waiting.bytes_in(pool);
            if counted > 0 && waiting.approved.is_none() {
                let (bytes, ids) = held.slot(waiting.session().clone()).or_default();
                *bytes += counted;
                ids.add_all((*id != newest).then_some(*id));
            }
        }
        while self.bytes[pool as usize] > most {
            let candidates = held.values_mut().filter(|(_, ids)| !ids.is_empty());
            let Some((bytes, ids)) = candidates.max_by_key(|(bytes, _)| *bytes) else { return };
            let Some(id) = ids.pop_front() else { return };
            *bytes -= self.waiting.get(&id).map_or(0, |waiting| waiting.bytes_in(pool));
            match pool {
                // The call still waits, and is planned again when a person lists the requests.
                Pool::Hidden => self.unplan(id),
                Pool::Shown | Pool::Requests => drop(self.remove(id)),
            }
        }
    }

    /// Removes the operation under an id, with its plan.
    pub fn remove(&mut self, id: Digest) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        self.order.remove(&waiting.since);
        for pool in [Pool::Shown, Pool::Requests, Pool::Hidden] {
            self.bytes[pool as usize] -= waiting.bytes_in(pool);
        }
        uncount(&mut self.sessions, waiting.session());
        if let Some(number) = &waiting.connection {
            uncount(&mut self.connections, number);
        }
        Some(waiting)
    }

    /// Removes the plan of a call that still waits; an approval of it becomes void.
    fn unplan(&mut self, id: Digest) {
        if let Some(waiting) = self.waiting.get_mut(&id) {
            self.bytes[Pool::Hidden as usize] -= waiting.bytes_in(Pool::Hidden);
            (waiting.plan, waiting.approved) = (None, None);
        }
    }

    /// Removes operations and decisions that are older than the time to live.
    pub fn expire(&mut self, rules: Rules) {
        let holds = |since: Instant| rules.now.saturating_duration_since(since) <= rules.ttl;
        while let Some((&(since, _), &id)) = self.order.first_key_value()
            && !holds(since)
        {
            self.remove(id);
        }
        // These are few: a person has made each decision.
        self.keep_covered(|given| holds(given.since));
        self.declined.retain(|_, (_, since)| holds(*since));
    }

    pub fn keep_covered(&mut self, keep: impl Fn(&Approval) -> bool) {
        self.covered.retain(|_, given| {
            given.retain(&keep);
            !given.is_empty()
        });
    }

    /// Restarts the time to live of an operation.
    pub fn renew(&mut self, id: Digest, now: Instant) {
        self.counter += 1;
        let since = (now, self.counter);
        if let Some(waiting) = self.waiting.get_mut(&id) {
            self.order.remove(&waiting.since);
            self.order.put(since, id);
            waiting.since = since;
        }
    }

    /// Returns the number of operations and decisions that are held.
    pub fn held(&self) -> usize {
        let wide: usize = self.covered.values().map(Vec::len).sum();
        wide + self.declined.len() + self.waiting.len()
    }
}

fn uncount<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

fn check_bytes(bytes: usize, rules: Rules) -> Result<()> {
    if bytes <= rules.bytes {
        return Ok(());
    }
    Err(Error::too_large(format!(
        "the proposal takes {bytes} bytes, and redline_max_waiting_bytes is {}",
        rules.bytes
    ))
    .with_hint("Propose less at once, or ask the host to raise the limit"))
}

/// Returns the error for an operation that a person has declined.
pub(crate) fn declined(outline: &str) -> Error {
    Error::declined(format!("a person has declined \"{outline}\""))
        .with_hint("This is final for this change: do not ask again; propose another one, or ask the person what is wanted")
}

/// Returns the error for an id under which nothing waits.
pub(crate) fn nothing_waits(id: &str) -> Error {
    Error::not_found(format!("no operation waits under the approval_id {}", quoted(id))).with_hint(
        "It was carried out, has expired or belongs to another database; call needs_approval again",
    )
}
