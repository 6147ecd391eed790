//! The caller of file tools: its session, the rules that hold for it, and what its database keeps.

use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use crate::files::blind_call::BlindCall;
use crate::machinery::calls::Calls;
use crate::machinery::run::Context;
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_edit::{Approvals, ChangeSet, Digest, Duplicates, Rules, Session};
use redline_journal::{Bounds, FileChange, Journal, Looked, Memory, Store};
use redline_sandbox::{Sandbox, SandboxPath};

/// The number of hexadecimal digits in the names of operations, databases and sessions.
const NAME_DIGITS: usize = 16;

/// The state of file tools that a database keeps while it is open.
#[derive(Default)]
pub struct DatabaseState {
    /// The pending operations and the approvals.
    pub approvals: Approvals,
    /// The work that runs for its connections.
    pub calls: Calls,
    /// The edits that statements have made.
    pub duplicates: Duplicates,
    /// The operations on files, if no directory is named for them.
    pub operations: Memory,
    /// The time at which the named directory was last pruned.
    pub looked: Looked,
}

/// Where operations on files are recorded.
#[derive(Clone)]
pub struct Journaling {
    /// The name of the host's option, for messages.
    pub option: &'static str,
    /// The directory; an empty one keeps operations in memory, `None` forbids writing.
    pub directory: Option<String>,
    /// The most bytes of the journal.
    pub bytes: u64,
    /// The microseconds for which operations are kept.
    pub age: u64,
}

/// The caller of file tools.
#[derive(Clone)]
pub struct Caller {
    /// The access, the budget and the limits.
    pub context: Context,
    /// The state of its database.
    pub state: Arc<DatabaseState>,
    /// Its connection.
    pub connection: u64,
    /// Its session: the connection's own, unless a call names another.
    pub session: Session,
    /// The rules for proposals and approvals at the start of the execution.
    pub limits: Rules,
    /// Where operations are recorded.
    pub journaling: Journaling,
    /// Whether one of the tools is granted that show the content of files.
    pub may_read: bool,
    /// Why nobody can approve, now or later.
    pub no_approver: Option<&'static str>,
}

impl Caller {
    /// Notes that work begins which a host can end, by its connection.
    pub fn begin(&self) {
        self.state.calls.add(self.connection, &self.context.budget);
    }

    /// Returns the rules for proposals and approvals now.
    pub fn rules(&self) -> Rules {
        Rules { now: Instant::now(), ..self.limits }
    }

    /// Tells whether the session may see the content of a file: its sandbox requires no approval
    /// for reading, or an approval of a scope wider than `once` covers it.
    pub fn may_show(&self, place: &SandboxPath<'_>) -> bool {
        if !place.sandbox().approvals.read {
            return true;
        }
        let (read, nothing) = (BlindCall::read(place), ChangeSet::default());
        self.state.approvals.covers(&read.operation(&self.session, &nothing), self.rules())
    }

    /// Refuses to read a file, by its path as given, that the session may not see.
    ///
    /// # Errors
    /// `approval_required`, final if nobody can approve.
    pub fn check_shown(&self, place: &SandboxPath<'_>, given: &str) -> Result<()> {
        if self.may_show(place) {
            return Ok(());
        }
        let required =
            Error::approval_required(format!("reading {} must be approved", quoted(given)))
                .with_hint("read_file asks for it; the host can approve it for more than one call");
        Err(self.unapproved(&format!("Read {place}"), required))
    }

    /// Returns the error for an action that needs an approval. `approval_required` invites the
    /// caller to wait; if there is no approver, and the locked configuration permits none, the
    /// refusal is final.
    pub fn unapproved(&self, what: &str, required: Error) -> Error {
        let Some(why) = self.no_approver else { return required };
        if required.kind() != ErrorKind::ApprovalRequired {
            return required;
        }
        Error::permission_denied(format!(
            "a person must approve \"{what}\", and nobody can here: {why}"
        ))
        .with_hint("Tell the person who runs the host; another call of this kind is refused too")
    }

    /// Opens the journal and passes it to `work`.
    ///
    /// # Errors
    /// `fs_denied` for a directory that sessions could reach; those of the system.
    pub fn with_journal<T>(&self, work: impl FnOnce(&dyn Journal) -> Result<T>) -> Result<T> {
        let Journaling { option, directory, bytes, age } = &self.journaling;
        let path = directory.as_deref().ok_or_else(|| {
            Error::fs_denied(format!("{option} is NULL, so no file is written"))
                .with_hint("Ask the host to name a directory, or '' to record operations in memory")
        })?;
        if path.is_empty() {
            return work(&self.state.operations);
        }
        let since = now().saturating_sub(i64::try_from(*age).unwrap_or(i64::MAX));
        let bounds = Bounds { bytes: *bytes, since };
        let store = Store::open((option, path), &self.context.access, bounds, &self.state.looked)?;
        work(&store)
    }

    /// Returns the place of a recorded file, if its sandbox still has the same root.
    ///
    /// # Errors
    /// `fs_denied` if the sandboxes do not permit reading it.
    pub fn recorded_place(&self, file: &FileChange) -> Result<SandboxPath<'_>> {
        let sandboxes = self.context.access.sandboxes().filter(|sandboxes| {
            let same = |sandbox: &&Sandbox| sandbox.name == file.sandbox;
            let found = sandboxes.iter().find(same);
            found.is_some_and(|sandbox| sandbox.path == Path::new(&file.root))
        });
        let sandboxes = sandboxes.ok_or_else(|| {
            Error::fs_denied(format!("{} is not in a configured sandbox", quoted(&file.shown())))
                .with_hint("Ask the host to configure the directory in redline_sandboxes as it was")
        })?;
        sandboxes.resolve(&file.shown())
    }

    /// Tells whether the session may see what happened to a recorded file.
    pub fn may_see(&self, file: &FileChange) -> bool {
        match self.recorded_place(file) {
            Ok(place) => self.may_show(&place),
            Err(_) => self.context.access.is_unlimited(),
        }
    }

    /// Returns the name of the session in the journal. It is a digest: the numbers of connections
    /// repeat in each database, and whoever knows the name of a session can call for it.
    pub fn client(&self) -> String {
        match &self.session {
            Session::Connection(number) => {
                let database = self.state.approvals.secret().mac("client").finish();
                format!("connection {number} of {}", short(database))
            }
            Session::Named(name) => format!("session {}", short(Digest::sha256(name.as_bytes()))),
        }
    }
}

pub(crate) fn short(digest: Digest) -> String {
    let mut digits = digest.to_string();
    digits.truncate(NAME_DIGITS);
    digits
}

/// Returns the current time in microseconds since 1970.
pub(crate) fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}
