//! What waits for a person, and what a person has said yes to.
//!
//! In memory, for one database: whoever opens the database owns one [`Approvals`], and nothing is
//! shared between two. The clock is the caller's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::operation::{Digest, Operation, Tool};
use super::payload::Payload;
use super::proposal::{Proposal, approval_id};
use crate::error::{Error, Result, quoted};
use crate::limits;

/// How much an approval is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The operation that was shown, once, on the state that was shown.
    #[default]
    Once,
    /// What the same tool does to the same file.
    Path,
    /// What the same tool does in the same sandbox.
    Sandbox,
    /// What the same tool does.
    Session,
}

impl Scope {
    /// Reads a scope by its name.
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "once" => Ok(Self::Once),
            "path" => Ok(Self::Path),
            "sandbox" => Ok(Self::Sandbox),
            "session" => Ok(Self::Session),
            _ => Err(Error::invalid_args(format!("there is no scope {}", quoted(name)))
                .with_hint("Use once, path, sandbox or session")),
        }
    }
}

/// What an approval of a scope wider than `once` is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Covered {
    tool: Tool,
    /// `None` is every sandbox.
    root: Option<(u64, u64)>,
    /// `None` is every path.
    path: Option<Vec<u8>>,
}

impl Covered {
    /// Returns what the scopes `path`, `sandbox` and `session` cover around an operation.
    fn around(operation: &Operation<'_>) -> [Self; 3] {
        let (tool, root, path) = (operation.tool, Some(operation.root), Some(operation.path.to_vec()));
        [Self { tool, root, path }, Self { tool, root, path: None }, Self { tool, root: None, path: None }]
    }
}

/// An operation that was proposed.
#[derive(Debug)]
struct Waiting {
    request: Digest,
    proposal: Proposal,
    result: Arc<[u8]>,
    covered: [Covered; 3],
    bytes: usize,
    since: Instant,
    /// When a person said yes.
    approved: Option<Instant>,
}

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<Digest, Waiting>,
    /// Approvals of wider scopes, and when they were given.
    covered: HashMap<Covered, Instant>,
}

/// The proposals and approvals of one database.
///
/// Proposals and approvals hold for `ttl`, the time to live that each call is given.
#[derive(Debug, Default)]
pub struct Approvals(Mutex<State>);

impl Approvals {
    /// Records an operation that may be approved from now on; its id is that of the payload.
    pub fn propose(&self, operation: &Operation<'_>, proposal: Proposal, now: Instant, ttl: Duration) {
        self.lock(now, ttl).propose(operation, proposal, now);
    }

    /// Records a yes to what `payload` shows and returns its approval id.
    ///
    /// # Errors
    /// `not_found` when no such operation waits, `invalid_args` when the payload is not the one
    /// that was proposed under its id: what was shown would not be what is done.
    pub fn approve(&self, payload: &Payload, scope: Scope, now: Instant, ttl: Duration) -> Result<String> {
        let mut state = self.lock(now, ttl);
        let waiting = state.waiting_for(payload.approval_id())?;
        if waiting.proposal.payload != *payload {
            return Err(Error::invalid_args("the payload is not the one that was proposed under its approval_id")
                .with_hint("Show and approve the payload of needs_approval as it is"));
        }
        waiting.approved = Some(now);
        let [path, sandbox, session] = &waiting.covered;
        let covered = match scope {
            Scope::Once => None,
            Scope::Path => Some(path),
            Scope::Sandbox => Some(sandbox),
            Scope::Session => Some(session),
        };
        if let Some(covered) = covered.cloned() {
            state.covered.insert(covered, now);
        }
        Ok(payload.approval_id().to_owned())
    }

    /// Returns what an approved operation writes, which is what was proposed, and uses the
    /// approval up. Where an approval of a wider scope covers the operation, it is its own result.
    ///
    /// Where nothing allows it, the operation is proposed.
    ///
    /// # Errors
    /// `approval_required` when nobody has said yes, `stale` when somebody has, but the file has
    /// changed since; that approval is void.
    pub fn take(
        &self,
        operation: &Operation<'_>,
        proposal: Proposal,
        now: Instant,
        ttl: Duration,
    ) -> Result<Arc<[u8]>> {
        let mut state = self.lock(now, ttl);
        let id = operation.digest();
        if state.waiting.get(&id).is_some_and(|waiting| waiting.approved.is_some())
            && let Some(waiting) = state.waiting.remove(&id)
        {
            return Ok(waiting.result);
        }
        if state.is_covered(operation) {
            return Ok(operation.result.unwrap_or_default().into());
        }
        let request = operation.request();
        let is_outdated = |_: &Digest, waiting: &mut Waiting| waiting.request == request && waiting.approved.is_some();
        if let Some((_, outdated)) = state.waiting.extract_if(is_outdated).next() {
            let description = outdated.proposal.payload.description();
            return Err(Error::stale(format!("the file has changed since \"{description}\" was approved"))
                .with_hint("Ask again: needs_approval shows what it would do now"));
        }
        let message = format!("\"{}\" waits for a person under the id {id}", proposal.payload.description());
        state.propose(operation, proposal, now);
        Err(Error::approval_required(message).with_hint("Call it again when the host has approved it"))
    }

    /// Tells whether the operation would be done without another question.
    pub fn allows(&self, operation: &Operation<'_>, now: Instant, ttl: Duration) -> bool {
        let state = self.lock(now, ttl);
        state.is_covered(operation)
            || state.waiting.get(&operation.digest()).is_some_and(|waiting| waiting.approved.is_some())
    }

    /// Tells whether an approval of a scope wider than `once` covers the operation.
    pub fn covers(&self, operation: &Operation<'_>, now: Instant, ttl: Duration) -> bool {
        self.lock(now, ttl).is_covered(operation)
    }

    /// Returns a chunk, from 1, of the text of a payload, which is named by its `fetch_url` or its
    /// approval id.
    ///
    /// # Errors
    /// `not_found` when no such operation waits, `invalid_args` when there is no such chunk.
    pub fn chunk(&self, reference: &str, number: u64, now: Instant, ttl: Duration) -> Result<String> {
        let mut state = self.lock(now, ttl);
        state.waiting_for(approval_id(reference))?.proposal.chunk(number).map(str::to_owned)
    }

    /// Returns the payloads that nobody has approved yet, the oldest first.
    pub fn waiting(&self, now: Instant, ttl: Duration) -> Vec<Payload> {
        let state = self.lock(now, ttl);
        let mut waiting: Vec<_> = state.waiting.iter().filter(|(_, waiting)| waiting.approved.is_none()).collect();
        waiting.sort_by_key(|(id, waiting)| (waiting.since, **id));
        waiting.into_iter().map(|(_, waiting)| waiting.proposal.payload.clone()).collect()
    }

    /// Locks the state, without what is older than `ttl`.
    fn lock(&self, now: Instant, ttl: Duration) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |since: Instant| now.saturating_duration_since(since) <= ttl;
        state.waiting.retain(|_, waiting| holds(waiting.approved.unwrap_or(waiting.since)));
        state.covered.retain(|_, since| holds(*since));
        state
    }
}

impl State {
    fn is_covered(&self, operation: &Operation<'_>) -> bool {
        Covered::around(operation).iter().any(|covered| self.covered.contains_key(covered))
    }

    fn propose(&mut self, operation: &Operation<'_>, proposal: Proposal, now: Instant) {
        let id = operation.digest();
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.since = now;
            return;
        }
        let result: Arc<[u8]> = operation.result.unwrap_or_default().into();
        let waiting = Waiting {
            request: operation.request(),
            bytes: result.len() + proposal.held_bytes(),
            proposal,
            result,
            covered: Covered::around(operation),
            since: now,
            approved: None,
        };
        self.waiting.insert(id, waiting);
        self.forget_oldest(id);
    }

    /// Forgets what nobody has approved, the oldest first, until the rest fits.
    fn forget_oldest(&mut self, newest: Digest) {
        let mut held: usize = self.waiting.values().map(|waiting| waiting.bytes).sum();
        while held > limits::WAITING_BYTES {
            let unapproved = self.waiting.iter().filter(|(id, waiting)| waiting.approved.is_none() && **id != newest);
            let Some(oldest) = unapproved.min_by_key(|(id, waiting)| (waiting.since, **id)).map(|(id, _)| *id) else {
                break;
            };
            held -= self.waiting.remove(&oldest).map_or(0, |waiting| waiting.bytes);
        }
    }

    fn waiting_for(&mut self, id: &str) -> Result<&mut Waiting> {
        let waiting = self.waiting.iter_mut().find(|(digest, _)| digest.to_string() == id);
        waiting.map(|(_, waiting)| waiting).ok_or_else(|| {
            Error::not_found(format!("no operation waits under the approval_id {}", quoted(id)))
                .with_hint("It was done, has expired or belongs to another database: call needs_approval again")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Existing, FileName};

    const TTL: Duration = Duration::from_secs(900);
    const FILE: FileName<'static> = FileName { sandbox: "workspace", relative: "a" };

    const WRITE: Operation<'static> = Operation {
        tool: Tool::Write,
        root: (1, 2),
        path: b"a",
        arguments: &[b"new"],
        base: Some(b"old"),
        result: Some(b"new"),
        mode: Some(0o100_644),
    };

    fn proposal(operation: &Operation<'_>) -> Proposal {
        let existing = operation.base.map(|content| Existing { content, oid: "0" });
        let content = std::str::from_utf8(operation.result.unwrap_or_default()).unwrap();
        match operation.tool {
            Tool::Read => Proposal::read(FILE, existing, operation.digest()),
            _ => Proposal::write(FILE, content, existing, operation.digest()),
        }
    }

    /// Approvals, and a clock.
    struct Host {
        approvals: Approvals,
        now: Instant,
    }

    impl Host {
        fn new() -> Self {
            Self { approvals: Approvals::default(), now: Instant::now() }
        }

        /// Returns what is written, or the code of the error.
        fn take(&self, operation: &Operation<'_>) -> std::result::Result<Vec<u8>, &'static str> {
            let taken = self.approvals.take(operation, proposal(operation), self.now, TTL);
            taken.map(|result| result.to_vec()).map_err(|error| error.kind().code())
        }

        fn approve(&self, operation: &Operation<'_>, scope: Scope) -> std::result::Result<String, &'static str> {
            let approved = self.approvals.approve(&proposal(operation).payload, scope, self.now, TTL);
            approved.map_err(|error| error.kind().code())
        }

        fn propose(&self, operation: &Operation<'_>) {
            self.approvals.propose(operation, proposal(operation), self.now, TTL);
        }

        fn waiting(&self) -> usize {
            self.approvals.waiting(self.now, TTL).len()
        }
    }

    #[test]
    fn an_approval_is_good_for_two_operations() {
        let host = Host::new();
        assert_eq!(host.approve(&WRITE, Scope::Once), Err("not_found"));
        assert_eq!(host.take(&WRITE), Err("approval_required"));
        assert_eq!(host.waiting(), 1);
        assert_eq!(host.approve(&WRITE, Scope::Once), Ok(WRITE.digest().to_string()));
        assert_eq!((host.approve(&WRITE, Scope::Once), host.waiting()), (Ok(WRITE.digest().to_string()), 0));
        assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
        assert_eq!(host.take(&WRITE), Err("approval_required"));
        assert_eq!(host.take(&WRITE), Err("approval_required"));
    }

    #[test]
    fn an_approval_is_good_for_another_operation_or_state() {
        for (other, code) in [
            (Operation { path: b"b", ..WRITE }, "approval_required"),
            (Operation { root: (1, 3), ..WRITE }, "approval_required"),
            (Operation { tool: Tool::Edit, ..WRITE }, "approval_required"),
            (Operation { arguments: &[b"newer"], result: Some(b"newer"), ..WRITE }, "approval_required"),
            (Operation { base: Some(b"other"), ..WRITE }, "stale"),
            (Operation { base: None, ..WRITE }, "stale"),
            (Operation { result: Some(b"other"), ..WRITE }, "stale"),
            (Operation { mode: Some(0o100_755), ..WRITE }, "stale"),
        ] {
            let host = Host::new();
            host.propose(&WRITE);
            host.approve(&WRITE, Scope::Once).unwrap();
            assert_eq!(host.take(&other), Err(code), "{other:?}");
            // An approval that turned out to be stale is void.
            let afterwards = if code == "stale" { Err("approval_required") } else { Ok(b"new".to_vec()) };
            assert_eq!(host.take(&WRITE), afterwards, "{other:?}");
        }
    }

    #[test]
    fn an_approval_or_a_proposal_outlives_its_time() {
        for scope in [Scope::Once, Scope::Path, Scope::Session] {
            let mut host = Host::new();
            host.propose(&WRITE);
            host.now += TTL;
            host.approve(&WRITE, scope).unwrap();
            host.now += TTL;
            assert!(host.take(&WRITE).is_ok());
            host.propose(&WRITE);
            host.approve(&WRITE, scope).unwrap();
            host.now += TTL + Duration::from_nanos(1);
            assert_eq!(host.take(&WRITE), Err("approval_required"));
            host.now += TTL + Duration::from_nanos(1);
            assert_eq!((host.approve(&WRITE, scope), host.waiting()), (Err("not_found"), 0));
        }
    }

    #[test]
    fn a_wider_scope_covers_less_or_more_than_its_name_says() {
        let same_path = Operation { arguments: &[b"x"], base: Some(b"y"), result: Some(b"x"), ..WRITE };
        let same_sandbox = Operation { path: b"b", ..same_path };
        let same_session = Operation { root: (9, 9), ..same_sandbox };
        let other_tool = Operation { tool: Tool::Edit, ..WRITE };
        let required = Err("approval_required");
        for (scope, expected) in [
            (Scope::Path, [Ok(b"x".to_vec()), required.clone(), required.clone(), required.clone()]),
            (Scope::Sandbox, [Ok(b"x".to_vec()), Ok(b"x".to_vec()), required.clone(), required.clone()]),
            (Scope::Session, [Ok(b"x".to_vec()), Ok(b"x".to_vec()), Ok(b"x".to_vec()), required.clone()]),
        ] {
            let host = Host::new();
            host.propose(&WRITE);
            host.approve(&WRITE, scope).unwrap();
            for _ in 0..2 {
                let taken = [&same_path, &same_sandbox, &same_session, &other_tool].map(|other| host.take(other));
                assert_eq!(taken, expected, "{scope:?}");
                assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
            }
        }
    }

    #[test]
    fn another_payload_is_approved_than_was_proposed() {
        let host = Host::new();
        host.propose(&WRITE);
        let Payload::Write(shown) = proposal(&WRITE).payload else { panic!("a write") };
        for forged in [
            super::super::payload::WritePayload { content: "other".to_owned(), ..shown.clone() },
            super::super::payload::WritePayload { description: "Write nothing".to_owned(), ..shown.clone() },
            super::super::payload::WritePayload { path: "workspace/b".to_owned(), ..shown.clone() },
        ] {
            let error = host.approvals.approve(&Payload::Write(forged), Scope::Session, host.now, TTL).unwrap_err();
            assert!(error.to_string().starts_with("invalid_args: the payload is not the one"), "{error}");
        }
        assert_eq!(host.take(&WRITE), Err("approval_required"));
    }

    #[test]
    fn an_approval_in_one_database_holds_in_another() {
        let (one, other) = (Host::new(), Host::new());
        one.propose(&WRITE);
        one.approve(&WRITE, Scope::Session).unwrap();
        assert_eq!((one.take(&WRITE).is_ok(), other.take(&WRITE)), (true, Err("approval_required")));
    }

    #[test]
    fn two_threads_use_one_approval() {
        let host = Host::new();
        host.propose(&WRITE);
        host.approve(&WRITE, Scope::Once).unwrap();
        let done = std::thread::scope(|threads| {
            let workers: Vec<_> = (0..8).map(|_| threads.spawn(|| host.take(&WRITE).is_ok())).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).filter(|&done| done).count()
        });
        assert_eq!(done, 1);
    }

    #[test]
    fn what_waits_grows_without_end_or_an_approval_is_forgotten() {
        let mut host = Host::new();
        let content = "x".repeat(limits::WAITING_BYTES / 8);
        host.propose(&WRITE);
        host.approve(&WRITE, Scope::Once).unwrap();
        for base in 0..10u8 {
            host.now += Duration::from_millis(1);
            host.propose(&Operation { base: Some(&[base]), result: Some(content.as_bytes()), ..WRITE });
        }
        assert!((2..8).contains(&host.waiting()), "{}", host.waiting());
        let newest = Operation { base: Some(&[9]), result: Some(content.as_bytes()), ..WRITE };
        assert!(host.approve(&newest, Scope::Once).is_ok());
        let oldest = Operation { base: Some(&[0]), result: Some(content.as_bytes()), ..WRITE };
        assert_eq!(host.approve(&oldest, Scope::Once), Err("not_found"));
        assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
    }

    #[test]
    fn a_chunk_is_given_under_another_name_or_of_another_payload() {
        let host = Host::new();
        host.propose(&WRITE);
        let id = WRITE.digest().to_string();
        let chunk =
            |name: &str, number| host.approvals.chunk(name, number, host.now, TTL).map_err(|error| error.to_string());
        assert_eq!(chunk(&id, 1).as_deref(), Ok("new"));
        assert_eq!(chunk(&format!("redline:approval/{id}"), 1).as_deref(), Ok("new"));
        assert!(chunk(&id, 2).unwrap_err().starts_with("invalid_args: there is no chunk 2. "));
        assert!(chunk(&id, 0).unwrap_err().starts_with("invalid_args: there is no chunk 0. "));
        assert!(
            chunk("other", 1).unwrap_err().starts_with("not_found: no operation waits under the approval_id 'other'. ")
        );
    }

    #[test]
    fn an_error_does_not_say_what_waits_or_what_to_do() {
        let host = Host::new();
        let error = host.approvals.take(&WRITE, proposal(&WRITE), host.now, TTL).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "approval_required: \"Write 1 line to workspace/a (overwrites 1 line)\" waits for a person under the id {}. \
                 Call it again when the host has approved it.",
                WRITE.digest()
            )
        );
        host.approve(&WRITE, Scope::Once).unwrap();
        let changed = Operation { base: Some(b"changed"), ..WRITE };
        let error = host.approvals.take(&changed, proposal(&changed), host.now, TTL).unwrap_err();
        assert!(
            error.to_string().starts_with("stale: the file has changed since \"Write 1 line to workspace/a "),
            "{error}"
        );
    }

    #[test]
    fn a_scope_has_another_name() {
        for (name, scope) in
            [("once", Scope::Once), ("path", Scope::Path), ("sandbox", Scope::Sandbox), ("session", Scope::Session)]
        {
            assert_eq!(Scope::parse(name).unwrap(), scope);
        }
        assert!(Scope::parse("Once").unwrap_err().to_string().starts_with("invalid_args: there is no scope 'Once'. "));
    }
}
