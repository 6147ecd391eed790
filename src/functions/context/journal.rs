//! Opens the journal in the settings, and records calls in it.

use std::cell::RefCell;
use std::path::Path;
use std::time::SystemTime;

use super::execution_context::ExecutionContext;
use super::settings;
use crate::edit::{Digest, Given, Session};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::git::blob_id;
use crate::journal::{
    Approved, ChangeKind, End, FileChange, Journal, Kept, Outcome, Record, Store, Version,
};
use crate::sandbox::{Place, Sandbox};

/// The number of hexadecimal digits in the names of operations, databases and sessions.
const NAME_DIGITS: usize = 16;

impl ExecutionContext {
    /// Opens the journal and passes it to `work`.
    ///
    /// # Errors
    /// `fs_denied` for a directory that sessions could reach; those of the system.
    pub fn with_journal<T>(&self, work: impl FnOnce(Journal<'_>) -> Result<T>) -> Result<T> {
        let Some(path) = settings::journal(&self.settings)? else {
            return work(Journal::Memory(&self.database.operations));
        };
        let bounds = settings::journal_bounds(&self.settings, now());
        let named = (settings::JOURNAL, path);
        let store = Store::open(named, &self.access, bounds, &self.database.looked)?;
        work(Journal::Directory(&store))
    }

    /// Returns the place of a recorded file, if its sandbox still has the same root.
    ///
    /// # Errors
    /// `fs_denied` if the sandboxes do not permit reading it.
    pub fn recorded_place(&self, file: &FileChange) -> Result<Place<'_>> {
        let sandboxes = self.access.sandboxes().filter(|sandboxes| {
            let same = |sandbox: &&Sandbox| sandbox.name() == file.sandbox;
            let found = sandboxes.iter().find(same);
            found.is_some_and(|sandbox| sandbox.path() == Path::new(&file.root))
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
            Err(_) => self.access.is_unlimited(),
        }
    }

    /// Returns the name of the session in the journal. It is a digest: the numbers of connections
    /// repeat in each database, and whoever knows the name of a session can call for it.
    pub fn client(&self) -> String {
        match &self.session {
            Session::Connection(number) => {
                let database = self.database.approvals.secret().mac("client").finish();
                format!("connection {number} of {}", short(database))
            }
            Session::Named(name) => format!("session {}", short(Digest::sha256(name.as_bytes()))),
        }
    }
}

fn short(digest: Digest) -> String {
    let mut digits = digest.to_string();
    digits.truncate(NAME_DIGITS);
    digits
}

/// Returns the current time in microseconds since 1970.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}

/// A file before and after an operation.
pub struct Changed<'a> {
    /// The record of the file.
    pub file: FileChange,
    /// The contents before and after.
    pub contents: Kept<'a>,
}

/// A content, and whether the file is executable.
pub type Side<'a> = Option<(&'a [u8], bool)>;

impl<'a> Changed<'a> {
    /// Returns the change of the file at a place from one side to the other.
    ///
    /// # Errors
    /// Those of the id of a content.
    pub fn new(place: &Place<'_>, [base, result]: [Side<'a>; 2]) -> Result<Self> {
        let mut contents = Vec::new();
        let mut version = |side: Side<'a>| {
            let Some((content, executable)) = side else { return Ok(None) };
            contents.push((Digest::sha256(content), content));
            Ok::<_, Error>(Some(Version::new(content, blob_id(content)?, executable)))
        };
        let (base, result) = (version(base)?, version(result)?);
        let kind = Some(ChangeKind::of(base.as_ref(), result.as_ref()));
        Ok(Self { file: FileChange { kind, base, result, ..file_at(place) }, contents })
    }
}

/// Returns the record of a file before anything is known about it.
pub fn file_at(place: &Place<'_>) -> FileChange {
    FileChange {
        sandbox: place.sandbox().name().to_owned(),
        root: place.sandbox().path().to_string_lossy().into_owned(),
        path: place.path().as_str().to_owned(),
        old_path: None,
        kind: None,
        base: None,
        result: None,
    }
}

/// A call that changes files, from its start to its result.
pub struct Recorded<'t> {
    execution: &'t ExecutionContext,
    record: RefCell<Record>,
    is_open: RefCell<bool>,
}

impl<'t> Recorded<'t> {
    /// Starts a call of a tool on these files.
    pub fn new(
        execution: &'t ExecutionContext,
        tool: &'static str,
        files: Vec<FileChange>,
    ) -> Self {
        let record = Record {
            id: String::new(),
            at: now(),
            client: execution.client(),
            tool: tool.to_owned(),
            approval: None,
            reason: None,
            outcome: Outcome::Begun,
            error: None,
            files,
        };
        Self { execution, record: RefCell::new(record), is_open: RefCell::new(false) }
    }

    /// Sets the approval that allows it.
    pub fn allowed_by(&self, given: Option<&Given>) {
        self.record.borrow_mut().approval = given.map(|given| Approved {
            id: given.id.clone(),
            scope: given.scope.name().to_owned(),
            given_by: given.by.clone(),
        });
    }

    /// Sets its reason.
    pub fn because(&self, reason: Option<String>) {
        self.record.borrow_mut().reason = reason;
    }

    /// Records the operation before it is done; an earlier attempt that was not done has failed.
    ///
    /// # Errors
    /// Those of the journal; then the operation must not be done.
    pub fn begin(&self, changes: Vec<Changed<'_>>) -> Result<()> {
        self.close(Some(ErrorKind::Stale))?;
        let mut files = Vec::new();
        let mut contents = Vec::new();
        for change in changes {
            files.push(change.file);
            contents.extend(change.contents);
        }
        let mut record = self.record.borrow_mut();
        (record.id, record.at, record.files) = (self.new_id(), now(), files);
        self.execution.with_journal(|journal| journal.begin(&record, &contents))?;
        *self.is_open.borrow_mut() = true;
        Ok(())
    }

    /// Records the outcome and returns it. A call that waits for a person has none yet.
    ///
    /// # Errors
    /// Those of the call; those of the journal if the operation was done but not recorded.
    pub fn end<T>(self, result: Result<T>) -> Result<T> {
        let code = result.as_ref().err().map(Error::kind);
        if *self.is_open.borrow() {
            let closed = self.close(code);
            return result.and_then(|value| {
                closed.map(|()| value).map_err(|error| {
                    Error::new(
                        error.kind(),
                        "the files are written, but the journal could not record that",
                    )
                    .with_hint("Read them back; redline_log() has the operation as begun")
                })
            });
        }
        if let Some(code) = code.filter(|code| *code != ErrorKind::ApprovalRequired) {
            let mut record = self.record.borrow_mut();
            (record.id, record.error) = (self.new_id(), Some(code.code().to_owned()));
            record.outcome = outcome_of(Some(code));
            // The result is the error of the call, whether or not the journal fails.
            let _ = self.execution.with_journal(|journal| journal.begin(&record, &Vec::new()));
        }
        result
    }

    /// Records the end of an operation that was begun.
    fn close(&self, code: Option<ErrorKind>) -> Result<()> {
        if !self.is_open.replace(false) {
            return Ok(());
        }
        let id = self.record.borrow().id.clone();
        let error = code.map(|code| code.code().to_owned());
        let end = End { id, outcome: outcome_of(code), error };
        self.execution.with_journal(|journal| journal.end(&end))
    }

    /// Returns the id of the operation.
    pub fn id(&self) -> String {
        self.record.borrow().id.clone()
    }

    fn new_id(&self) -> String {
        let database = &self.execution.database;
        let mut mac = database.approvals.secret().mac("journal");
        mac.push(&now().to_be_bytes());
        mac.push(&database.repeats.ticket().number().to_be_bytes());
        short(mac.finish())
    }
}

fn outcome_of(code: Option<ErrorKind>) -> Outcome {
    match code {
        None => Outcome::Done,
        Some(ErrorKind::Declined) => Outcome::Declined,
        Some(_) => Outcome::Failed,
    }
}
