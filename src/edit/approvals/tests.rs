use std::time::{Duration, Instant};

use super::*;
use crate::payload::ShownText;
use crate::{ChangeSet, ChangedFile, FileName, FileTool, Side};
use redline_base::growth::assert_linear;

const TTL: Duration = Duration::from_secs(900);
const FILE: FileName<'static> = FileName { sandbox: "workspace", relative: "a" };
const BYTES: usize = 1 << 20;
static AGENT: Session = Session::Connection(1);
static OTHER: Session = Session::Connection(2);

/// A call, and the one file that it changes.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    session: &'a Session,
    tool: FileTool,
    sandbox: &'a [u8],
    path: &'a [u8],
    arguments: &'a [&'a [u8]],
    base: Option<&'a [u8]>,
    result: Option<&'a [u8]>,
    mode: Option<u32>,
}

impl Call<'_> {
    fn side<'b>(&self, content: Option<&'b [u8]>) -> Option<Side<'b>> {
        content.map(|content| Side { content, mode: self.mode.unwrap_or_default(), oid: "0" })
    }

    fn with<T>(&self, work: impl FnOnce(&Operation<'_>) -> T) -> T {
        let Self { session, tool, sandbox, path, arguments, .. } = *self;
        let name = String::from_utf8_lossy(path);
        let (before, after) = (self.side(self.base), self.side(self.result));
        let file = ChangedFile { path: &name, old_path: None, before, after };
        let changes = &ChangeSet(vec![file]);
        work(&Operation { session, tool, sandbox, path, arguments, changes, basis: b"" })
    }
}

const WRITE: Call<'static> = Call {
    session: &AGENT,
    tool: FileTool::Write,
    sandbox: b"workspace",
    path: b"a",
    arguments: &[b"new"],
    base: Some(b"old"),
    result: Some(b"new"),
    mode: Some(0o100_644),
};

type Code<T> = std::result::Result<T, &'static str>;

/// Approvals, and a clock.
struct Host {
    approvals: Approvals,
    rules: Rules,
}

impl Host {
    fn new() -> Self {
        let rules =
            Rules { now: Instant::now(), ttl: TTL, proposals: 100, bytes: BYTES, connection: None };
        Self { approvals: Approvals::default(), rules }
    }

    fn proposal(&self, call: &Call<'_>) -> Proposal {
        let content = std::str::from_utf8(call.result.unwrap_or_default()).unwrap();
        let id = call.with(|operation| operation.id(self.approvals.secret()));
        match call.tool {
            FileTool::Read => Proposal::read(FILE, call.side(call.base), id),
            _ => Proposal::write(FILE, content, call.side(call.base), None, id),
        }
    }

    /// Returns what is written, or the code of the error.
    fn take(&self, call: &Call<'_>) -> Code<Vec<u8>> {
        let (proposal, outline) = (Some(self.proposal(call)), "Write workspace/a");
        let taken =
            call.with(|operation| self.approvals.consume(operation, proposal, outline, self.rules));
        let result = |_| call.result.unwrap_or_default().to_vec();
        taken.map(result).map_err(|error| error.kind().code())
    }

    fn approve(&self, operation: &Call<'_>, scope: Scope) -> Code<String> {
        let approved =
            self.approvals.approve(&self.proposal(operation).payload, scope, "ann", self.rules);
        approved.map_err(|error| error.kind().code())
    }

    fn propose(&self, operation: &Call<'_>) -> Code<()> {
        let proposal = self.proposal(operation);
        operation
            .with(|operation| self.approvals.propose(operation, proposal, self.rules))
            .map_err(|error| error.kind().code())
    }

    fn approved(operation: &Call<'_>, scope: Scope) -> Self {
        let host = Self::new();
        host.propose(operation).unwrap();
        host.approve(operation, scope).unwrap();
        host
    }

    fn waiting(&self) -> usize {
        self.approvals.waiting(self.rules).len()
    }

    fn id(&self, operation: &Call<'_>) -> String {
        operation.with(|operation| operation.id(self.approvals.secret())).to_string()
    }
}

#[test]
fn a_yes_is_for_one_operation_once() {
    let host = Host::new();
    assert_eq!(host.approve(&WRITE, Scope::Once), Err("not_found"));
    assert_eq!(host.take(&WRITE), Err("approval_required"));
    assert_eq!(host.waiting(), 1);
    assert_eq!(host.approve(&WRITE, Scope::Once), Ok(host.id(&WRITE)));
    assert_eq!((host.approve(&WRITE, Scope::Once), host.waiting()), (Ok(host.id(&WRITE)), 0));
    assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
    assert_eq!(host.take(&WRITE), Err("approval_required"));
    assert_eq!(host.take(&WRITE), Err("approval_required"));
}

#[test]
fn another_operation_or_state_is_not_approved() {
    for (other, code) in [
        (Call { path: b"b", ..WRITE }, "approval_required"),
        (Call { sandbox: b"other", ..WRITE }, "approval_required"),
        (Call { session: &OTHER, ..WRITE }, "approval_required"),
        (Call { tool: FileTool::Edit, ..WRITE }, "approval_required"),
        (Call { arguments: &[b"newer"], result: Some(b"newer"), ..WRITE }, "approval_required"),
        (Call { base: Some(b"other"), ..WRITE }, "stale"),
        (Call { base: None, ..WRITE }, "stale"),
        (Call { result: Some(b"other"), ..WRITE }, "stale"),
        (Call { mode: Some(0o100_755), ..WRITE }, "stale"),
    ] {
        let host = Host::approved(&WRITE, Scope::Once);
        assert_eq!(host.take(&other), Err(code), "{other:?}");
        // An approval that is found to be stale is void.
        let afterwards =
            if code == "stale" { Err("approval_required") } else { Ok(b"new".to_vec()) };
        assert_eq!(host.take(&WRITE), afterwards, "{other:?}");
    }
}

#[test]
fn a_shown_payload_cannot_be_approved_once_the_file_has_changed() {
    let host = Host::new();
    host.propose(&WRITE).unwrap();
    let shown = host.proposal(&WRITE).payload;
    host.propose(&Call { base: Some(b"longer\nnow"), ..WRITE }).unwrap();
    assert_eq!(host.waiting(), 1);
    let error =
        host.approvals.approve(&shown, Scope::Once, "ann", host.rules).unwrap_err().to_string();
    assert!(error.starts_with("invalid_args: the payload is not the one that waits"), "{error}");
}

#[test]
fn approvals_and_proposals_end_with_their_time() {
    for scope in [Scope::Once, Scope::Path, Scope::Session] {
        let mut host = Host::new();
        host.propose(&WRITE).unwrap();
        host.rules.now += TTL;
        host.approve(&WRITE, scope).unwrap();
        host.rules.now += TTL;
        assert!(host.take(&WRITE).is_ok());
        host.propose(&WRITE).unwrap();
        host.approve(&WRITE, scope).unwrap();
        host.rules.now += TTL + Duration::from_nanos(1);
        assert_eq!(host.take(&WRITE), Err("approval_required"));
        host.rules.now += TTL + Duration::from_nanos(1);
        assert_eq!((host.approve(&WRITE, scope), host.waiting()), (Err("not_found"), 0));
        assert!(host.approvals.given(host.rules).is_empty());
    }
}

#[test]
fn a_wider_scope_covers_what_its_name_says_and_no_other_session() {
    let same_path = Call { arguments: &[b"x"], base: Some(b"y"), result: Some(b"x"), ..WRITE };
    let same_sandbox = Call { path: b"b", ..same_path };
    let same_session = Call { sandbox: b"other", ..same_sandbox };
    let other_tool = Call { tool: FileTool::Edit, ..WRITE };
    let other_session = Call { session: &OTHER, ..WRITE };
    let (required, done) = (Err("approval_required"), Ok(b"x".to_vec()));
    for (scope, covered) in [(Scope::Path, 1), (Scope::Sandbox, 2), (Scope::Session, 3)] {
        let host = Host::approved(&WRITE, scope);
        for _ in 0..2 {
            for (index, other) in
                [&same_path, &same_sandbox, &same_session, &other_tool, &other_session]
                    .iter()
                    .enumerate()
            {
                let expected = if index < covered { &done } else { &required };
                assert_eq!(&host.take(other), expected, "{scope:?} {other:?}");
            }
            assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
        }
    }
}

#[test]
fn a_wider_scope_covers_no_new_file_no_removal_and_no_program() {
    let new = Call { base: None, ..WRITE };
    let host = Host::approved(&new, Scope::Session);
    // What was shown is allowed once; afterwards only contents of existing files.
    assert_eq!(host.approvals.given(host.rules).len(), 1);
    assert_eq!(host.take(&new), Ok(b"new".to_vec()));
    assert_eq!(host.approvals.given(host.rules).len(), 1);
    assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
    for other in [
        new,
        Call { result: None, ..WRITE },
        Call { mode: Some(0o100_755), ..WRITE },
        Call { path: b"b", mode: Some(0o100_755), ..WRITE },
    ] {
        assert_eq!(host.take(&other), Err("approval_required"), "{other:?}");
    }
    host.approvals.withdraw(&host.id(&new), host.rules).unwrap();
    assert_eq!(host.take(&WRITE), Err("approval_required"));
}

#[test]
fn a_no_to_several_files_is_one_to_each_of_them() {
    let host = Host::new();
    let side = |content| Some(Side { content, mode: 0o100_644, oid: "0" });
    let file = |path, before, after| ChangedFile { path, old_path: None, before, after };
    let (old, new) = (side(b"old"), side(b"new"));
    let files = vec![file("a", old, new), file("b", None, new), file("c", old, None)];
    let moved = ChangedFile { old_path: Some("d"), ..file("e", old, new) };
    let changes = ChangeSet(files.into_iter().chain([moved]).collect());
    let (session, sandbox) = (&AGENT, WRITE.sandbox);
    let tool = FileTool::Patch;
    let patch = Operation {
        session,
        tool,
        sandbox,
        path: b"abcde",
        arguments: &[],
        changes: &changes,
        basis: b"",
    };
    let id = patch.id(host.approvals.secret());
    let diff = ShownText { text: "the diff".to_owned(), not_utf8: Vec::new() };
    let proposal = Proposal::patch("workspace", Vec::new(), diff, id);
    host.approvals.propose(&patch, proposal.clone(), host.rules).unwrap();
    assert_eq!(host.propose(&Call { path: b"c", result: None, ..WRITE }), Ok(()));
    host.approvals.decline(&proposal.payload, host.rules).unwrap();
    // What waited with one of these results is gone with it.
    assert_eq!(host.waiting(), 0);
    for declined in [
        WRITE,
        Call { tool: FileTool::Edit, ..WRITE },
        Call { path: b"b", base: None, ..WRITE },
        Call { path: b"c", result: None, ..WRITE },
        Call { path: b"d", result: None, ..WRITE },
        Call { path: b"e", base: None, ..WRITE },
    ] {
        assert_eq!(host.propose(&declined), Err("declined"), "{declined:?}");
    }
    for other in [
        Call { session: &OTHER, ..WRITE },
        Call { sandbox: b"other", ..WRITE },
        Call { path: b"f", ..WRITE },
        Call { result: Some(b"newer"), ..WRITE },
        Call { base: Some(b"older"), ..WRITE },
        Call { mode: Some(0o100_755), ..WRITE },
        Call { tool: FileTool::Read, result: WRITE.base, ..WRITE },
    ] {
        assert_eq!(host.propose(&other), Ok(()), "{other:?}");
    }
}

#[test]
fn approvals_are_listed_and_withdrawn() {
    let other = Call { path: b"b", arguments: &[b"x"], result: Some(b"x"), ..WRITE };
    let host = Host::approved(&WRITE, Scope::Sandbox);
    host.propose(&Call { session: &OTHER, ..WRITE }).unwrap();
    host.approve(&Call { session: &OTHER, ..WRITE }, Scope::Once).unwrap();
    let given = host.approvals.given(host.rules);
    let listed: Vec<_> = given
        .iter()
        .map(|given| (given.scope, &given.session, given.tool, given.by.as_str()))
        .collect();
    assert!(
        listed.contains(&(Scope::Sandbox, &AGENT, FileTool::Write, "ann")) && listed.len() == 2
    );
    assert!(listed.contains(&(Scope::Once, &OTHER, FileTool::Write, "ann")));
    assert_eq!(host.take(&other), Ok(b"x".to_vec()));
    host.approvals.withdraw(&host.id(&WRITE), host.rules).unwrap();
    assert_eq!(host.take(&other), Err("approval_required"));
    assert_eq!(host.take(&WRITE), Err("approval_required"));
    assert_eq!(host.take(&Call { session: &OTHER, ..WRITE }), Ok(b"new".to_vec()));
    assert!(
        host.approvals.withdraw(&host.id(&Call { path: b"none", ..WRITE }), host.rules).is_err()
    );
}

#[test]
fn only_the_payload_that_waits_is_approved() {
    let host = Host::new();
    host.propose(&WRITE).unwrap();
    let Payload::Write(shown) = host.proposal(&WRITE).payload else { panic!("a write") };
    let head = |description: &str, path: &str| crate::payload::Head {
        description: description.to_owned(),
        path: path.to_owned(),
        ..shown.head.clone()
    };
    let (description, path) = (&shown.head.description, &shown.head.path);
    for forged in [
        crate::payload::WritePayload { content: "other".to_owned(), ..shown.clone() },
        crate::payload::WritePayload { head: head("Write nothing", path), ..shown.clone() },
        crate::payload::WritePayload { head: head(description, "workspace/b"), ..shown.clone() },
    ] {
        let error = host
            .approvals
            .approve(&Payload::Write(forged), Scope::Session, "ann", host.rules)
            .unwrap_err();
        assert!(
            error.to_string().starts_with("invalid_args: the payload is not the one"),
            "{error}"
        );
    }
    assert_eq!(host.take(&WRITE), Err("approval_required"));
}

#[test]
fn databases_share_neither_approvals_nor_ids() {
    let (one, other) = (Host::approved(&WRITE, Scope::Session), Host::new());
    assert_eq!((one.take(&WRITE).is_ok(), other.take(&WRITE)), (true, Err("approval_required")));
    assert_ne!(one.id(&WRITE), other.id(&WRITE));
}

#[test]
fn one_of_eight_threads_uses_an_approval() {
    let host = Host::approved(&WRITE, Scope::Once);
    let done = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..8).map(|_| threads.spawn(|| host.take(&WRITE).is_ok())).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).filter(|&done| done).count()
    });
    assert_eq!(done, 1);
}

#[test]
fn waiting_operations_have_bounded_bytes_and_an_approval_is_never_forgotten() {
    let mut host = Host::approved(&WRITE, Scope::Once);
    let content = "x".repeat(BYTES / 8);
    let proposed = |argument: &'static [&'static [u8]]| Call {
        arguments: argument,
        result: Some(content.as_bytes()),
        ..WRITE
    };
    let operations: [&'static [&'static [u8]]; 6] =
        [&[b"0"], &[b"1"], &[b"2"], &[b"3"], &[b"4"], &[b"5"]];
    for arguments in operations {
        host.rules.now += Duration::from_millis(1);
        host.propose(&proposed(arguments)).unwrap();
    }
    assert!((2..6).contains(&host.waiting()), "{}", host.waiting());
    assert!(host.approve(&proposed(operations[5]), Scope::Once).is_ok());
    assert_eq!(host.approve(&proposed(operations[0]), Scope::Once), Err("not_found"));
    assert_eq!(host.take(&WRITE), Ok(b"new".to_vec()));
    let large = "x".repeat(BYTES);
    assert_eq!(host.propose(&Call { result: Some(large.as_bytes()), ..WRITE }), Err("too_large"));
}

#[test]
fn a_session_proposes_no_more_than_its_quota() {
    let mut host = Host::new();
    let paths: Vec<Vec<u8>> = (0..101).map(|path: u32| path.to_be_bytes().to_vec()).collect();
    let proposed: Vec<_> = paths.iter().map(|path| host.propose(&Call { path, ..WRITE })).collect();
    assert!(proposed[..100].iter().all(|made| made.is_ok()) && proposed[100] == Err("too_large"));
    // A waiting operation may be proposed again, and another session has its own quota.
    assert_eq!(host.propose(&Call { path: &paths[0], ..WRITE }), Ok(()));
    assert_eq!(host.propose(&Call { session: &OTHER, ..WRITE }), Ok(()));
    host.rules.now += TTL + Duration::from_nanos(1);
    assert_eq!(host.propose(&Call { path: &paths[100], ..WRITE }), Ok(()));
}

#[test]
fn proposals_take_linear_time() {
    let paths = |count: usize| (0..count as u32).map(u32::to_be_bytes).collect::<Vec<_>>();
    assert_linear("proposals", 600, paths, |paths| {
        let mut host = Host::new();
        host.rules.proposals = 100_000;
        host.rules.bytes = 1 << 30;
        for path in paths {
            host.propose(&Call { path, ..WRITE }).unwrap();
        }
        assert_eq!(host.waiting(), paths.len());
    });
}

#[test]
fn chunks_are_named_by_the_id_or_the_url() {
    let host = Host::new();
    host.propose(&WRITE).unwrap();
    let id = host.id(&WRITE);
    let chunk = |name: &str, number| {
        host.approvals.chunk(name, number, false, host.rules).map_err(|error| error.to_string())
    };
    assert_eq!(chunk(&id, 1).as_deref(), Ok("new"));
    assert_eq!(chunk(&format!("redline:approval/{id}"), 1).as_deref(), Ok("new"));
    assert!(chunk(&id, 2).unwrap_err().starts_with("invalid_args: there is no chunk 2. "));
    assert!(chunk(&id, 0).unwrap_err().starts_with("invalid_args: there is no chunk 0. "));
    assert!(
        chunk("other", 1)
            .unwrap_err()
            .starts_with("not_found: no operation waits under the approval_id 'other'. ")
    );
}

#[test]
fn an_error_says_what_waits_and_what_to_do() {
    let host = Host::new();
    let refused = |call: &Call<'_>| {
        let (proposal, outline) = (Some(host.proposal(call)), "Write workspace/a");
        call.with(|it| host.approvals.consume(it, proposal, outline, host.rules)).unwrap_err()
    };
    let error = refused(&WRITE);
    let expected = format!(
        "approval_required: \"Write workspace/a\" waits for a person under the id {}. \
         Call it again when the host has approved it.",
        host.id(&WRITE)
    );
    assert_eq!(error.to_string(), expected);
    host.approve(&WRITE, Scope::Once).unwrap();
    let changed = Call { base: Some(b"changed"), ..WRITE };
    let error = refused(&changed);
    assert!(
        error.to_string().starts_with("stale: the file has changed since \"Write workspace/a\" "),
        "{error}"
    );
}

#[test]
fn every_scope_has_its_name() {
    for scope in [Scope::Once, Scope::Unread, Scope::Path, Scope::Sandbox, Scope::Session] {
        assert_eq!(Scope::parse(scope.name()).unwrap(), scope);
    }
    assert!(
        Scope::parse("Once")
            .unwrap_err()
            .to_string()
            .starts_with("invalid_args: there is no scope 'Once'. ")
    );
}

#[test]
fn an_agent_that_asks_again_gives_an_approval_no_more_time() {
    let mut host = Host::approved(&WRITE, Scope::Once);
    host.rules.now += TTL;
    host.propose(&WRITE).unwrap();
    host.rules.now += Duration::from_nanos(1);
    assert_eq!(host.take(&WRITE), Err("approval_required"));
}

#[test]
fn a_wide_yes_is_gone_once_everything_listed_was_withdrawn() {
    let other = Call { arguments: &[b"newer"], result: Some(b"newer"), ..WRITE };
    let host = Host::new();
    for operation in [&WRITE, &other] {
        host.propose(operation).unwrap();
    }
    for operation in [&WRITE, &other] {
        host.approve(operation, Scope::Path).unwrap();
    }
    let given = host.approvals.given(host.rules);
    assert_eq!(given.len(), 2);
    for given in given {
        host.approvals.withdraw(&given.id.to_uppercase(), host.rules).unwrap();
    }
    assert_eq!(host.take(&WRITE), Err("approval_required"));
    assert_eq!(host.take(&other), Err("approval_required"));
}

#[test]
fn a_no_is_final_for_the_result_whatever_the_arguments_and_for_every_state() {
    let reworded = Call { tool: FileTool::Edit, arguments: &[b"old", b"new"], ..WRITE };
    let changed = Call { base: Some(b"older"), ..WRITE };
    let host = Host::new();
    for operation in [&WRITE, &changed] {
        host.propose(operation).unwrap();
        host.approvals.decline(&host.proposal(operation).payload, host.rules).unwrap();
    }
    for operation in [&WRITE, &changed, &reworded] {
        assert_eq!(host.propose(operation), Err("declined"));
    }
    assert_eq!(host.propose(&Call { session: &OTHER, ..WRITE }), Ok(()));
}

#[test]
fn a_request_is_shown_to_the_holder_of_the_key_alone_and_takes_what_the_call_takes() {
    let mut host = Host::new();
    host.rules.proposals = 2;
    let missed = Call { path: b"b", ..WRITE };
    let code = |done: Result<()>| done.map_err(|error| error.kind().code());
    let request = |operation: &Call<'_>| {
        code(operation.with(|it| host.approvals.request(it, "workspace/a", None, host.rules)))
    };
    // One can be planned and one cannot; each keeps one entry, however often it is requested.
    for _ in 0..2 {
        assert_eq!(request(&WRITE), Ok(()));
        assert_eq!(request(&missed), Ok(()));
        let plan = WRITE.with(|it| host.approvals.plan(it, host.proposal(&WRITE), host.rules));
        assert_eq!(code(plan), Ok(()));
    }
    assert_eq!(request(&Call { path: b"c", ..WRITE }), Err("too_large"));
    let requests = host.approvals.requests(host.rules);
    let asked: Vec<_> =
        requests.iter().map(|(session, asked)| (session, &asked.arguments[..])).collect();
    assert_eq!(asked, [(&AGENT, &[b"new".to_vec()][..])]);
    let chunk = |holds_key: bool| {
        host.approvals
            .chunk(&host.id(&WRITE), 1, holds_key, host.rules)
            .map_err(|error| error.kind().code())
    };
    assert_eq!((chunk(false), chunk(true).as_deref()), (Err("not_found"), Ok("new")));
    assert_eq!(host.approvals.waiting(host.rules).len(), 1);
    assert!(host.approve(&WRITE, Scope::Once).is_ok() && host.take(&WRITE).is_ok());
    assert_eq!(request(&Call { path: b"c", ..WRITE }), Ok(()));
}

#[test]
fn plans_for_a_person_drop_no_request() {
    let mut host = Host::new();
    let content = "x".repeat(BYTES / 10);
    let paths = [b"0", b"1", b"2", b"3", b"4", b"5"];
    let large = |path| Call { path, result: Some(content.as_bytes()), ..WRITE };
    for path in paths {
        host.rules.now += Duration::from_millis(1);
        let operation = large(path);
        let proposal = host.proposal(&operation);
        operation.with(|it| {
            host.approvals.request(it, "workspace/a", None, host.rules).unwrap();
            host.approvals.plan(it, proposal, host.rules).unwrap();
        });
    }
    // The plan that was dropped is made again when a person lists the requests.
    let (waiting, requests) = (host.waiting(), host.approvals.requests(host.rules).len());
    assert!(waiting > 0 && requests > 0);
    assert_eq!(waiting + requests, paths.len());
    assert!(host.approve(&large(b"5"), Scope::Once).is_ok());
}

#[test]
fn an_approval_is_void_once_its_operation_cannot_be_planned() {
    let host = Host::new();
    let void = |wide: &str| {
        let error = Error::not_found(wide.to_owned());
        let outline = "Write workspace/a";
        WRITE.with(|it| host.approvals.void(it, outline, error, host.rules)).kind().code()
    };
    for (scope, told) in [(Scope::Once, "stale"), (Scope::Path, "not_found")] {
        WRITE.with(|it| {
            host.approvals.request(it, "workspace/a", None, host.rules).unwrap();
            host.approvals.plan(it, host.proposal(&WRITE), host.rules).unwrap();
        });
        assert!(host.approve(&WRITE, scope).is_ok());
        assert_eq!(void("the file"), told);
        assert_eq!(host.waiting(), 0);
    }
}

#[test]
fn a_connection_proposes_for_a_bounded_number_of_sessions() {
    let mut host = Host::new();
    (host.rules.proposals, host.rules.connection) = (1, Some(7));
    let most = redline_base::limits::SESSIONS_OF_CONNECTION;
    let sessions: Vec<Session> = (0..=most).map(|n| Session::Named(n.to_string())).collect();
    let propose = |host: &Host, n: usize| host.propose(&Call { session: &sessions[n], ..WRITE });
    assert!((0..most).all(|n| propose(&host, n).is_ok()));
    assert_eq!(propose(&host, most), Err("too_large"));
    // Another connection, and the holder of the key, are not refused because of it.
    host.rules.connection = Some(8);
    assert_eq!(propose(&host, most), Ok(()));
}

#[test]
fn one_session_never_drops_what_waits_for_another_that_holds_less() {
    let mut host = Host::new();
    host.propose(&WRITE).unwrap();
    let content = "x".repeat(BYTES / 8);
    for path in [b"0", b"1", b"2", b"3", b"4", b"5"] {
        let result = Some(content.as_bytes());
        host.rules.now += Duration::from_millis(1);
        host.propose(&Call { session: &OTHER, path, result, ..WRITE }).unwrap();
    }
    assert!(host.waiting() < 7);
    assert!(host.approve(&WRITE, Scope::Once).is_ok());
}
