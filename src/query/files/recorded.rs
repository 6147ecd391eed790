//! What the journal has of a call that changes files.

use std::cell::RefCell;

use super::planned::PlannedFile;
use super::planned_git::PlannedGit;
use crate::machinery::caller::{Caller, now, short};
use redline_base::budget::{Grow, Taken};
use redline_base::error::{Error, ErrorKind, Result};
use redline_edit::{Approval, ChangedFile, Digest, Side};
use redline_journal::{
    Approved, ChangeKind, FileChange, InFlight, KeptContents, Outcome, Record, Version,
};
use redline_sandbox::SandboxPath;

/// A file before and after an operation.
struct Changed<'a> {
    /// The record of the file.
    file: FileChange,
    /// The contents before and after.
    contents: KeptContents<'a>,
}

impl<'a> Changed<'a> {
    /// Returns the record of a planned file; a moved file is recorded under its new path.
    fn new(planned: &'a PlannedFile<'_>) -> Self {
        let ChangedFile { old_path, before, after, .. } = planned.sides();
        let mut contents = Vec::new();
        let mut version = |side: Option<Side<'a>>| {
            let side = side?;
            contents.add((Digest::sha256(side.content), side.content));
            Some(Version::new(side.content, side.oid.to_owned(), side.is_executable()))
        };
        let (base, result) = (version(before), version(after));
        let kind = match old_path {
            Some(_) => ChangeKind::Move,
            None => ChangeKind::of(base.as_ref(), result.as_ref()),
        };
        let old_path = old_path.map(str::to_owned);
        let file = file_at(planned.new_place());
        Self { file: FileChange { kind: Some(kind), base, result, old_path, ..file }, contents }
    }
}

/// Returns the record of a file before anything is known about it.
pub fn file_at(place: &SandboxPath<'_>) -> FileChange {
    FileChange {
        sandbox: place.sandbox().name.clone(),
        root: place.sandbox().path.to_string_lossy().taken(),
        path: place.path().as_str().to_owned(),
        old_path: None,
        kind: None,
        base: None,
        result: None,
        staged: None,
    }
}

/// A call that changes files, from its start to its result.
pub struct Recorded<'t> {
    caller: &'t Caller,
    record: RefCell<Record>,
    in_flight: RefCell<Option<InFlight>>,
}

impl<'t> Recorded<'t> {
    /// Starts a call of a tool on these files.
    pub fn new(caller: &'t Caller, tool: &'static str, files: Vec<FileChange>) -> Self {
        let record = Record {
            id: String::new(),
            at: now(),
            client: caller.client(),
            tool: tool.to_owned(),
            approval: None,
            reason: None,
            outcome: Outcome::Begun,
            error: None,
            more: 0,
            git: None,
            files,
        };
        Self { caller, record: RefCell::new(record), in_flight: RefCell::new(None) }
    }

    /// Notes the approval that allows it.
    pub fn allowed_by(&self, given: Approval) {
        self.record.borrow_mut().approval = Some(Approved {
            id: given.id,
            scope: given.scope.name().to_owned(),
            given_by: given.by,
        });
    }

    /// Sets its reason.
    pub fn set_reason(&self, reason: Option<String>) {
        self.record.borrow_mut().reason = reason;
    }

    /// Records the operation before it is done; an earlier attempt that was not done has failed.
    ///
    /// # Errors
    /// Those of the journal; then the operation must not be done.
    pub fn begin(&self, planned: &[PlannedFile<'_>], git: Option<&PlannedGit>) -> Result<()> {
        self.close(Some(ErrorKind::Stale))?;
        let mut files = Vec::new();
        let mut contents = Vec::new();
        for change in planned.iter().map(Changed::new) {
            files.add(change.file);
            contents.add_all(change.contents);
        }
        files.add_all(git.map(PlannedGit::recorded_files).transpose()?.unwrap_or_default());
        let mut record = self.record.borrow_mut();
        (record.id, record.at, record.files) = (self.new_id(), now(), files);
        (record.outcome, record.error) = (Outcome::Begun, None);
        record.git = git.map(PlannedGit::record);
        let in_flight = self.caller.with_journal(|journal| journal.begin(&record, &contents))?;
        *self.in_flight.borrow_mut() = Some(in_flight);
        Ok(())
    }

    /// Records the outcome and returns it. A call that waits for a person has none yet.
    ///
    /// # Errors
    /// Those of the call; those of the journal if the operation was done but not recorded.
    pub fn end<T>(self, result: Result<T>) -> Result<T> {
        let code = result.as_ref().err().map(Error::kind);
        if self.in_flight.borrow().is_some() {
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
            record.id = self.new_id();
            set_outcome(&mut record, Some(code));
            // The result is the error of the call, whether or not the journal fails.
            let _ = self.caller.with_journal(|journal| journal.refuse(&record));
        }
        result
    }

    /// Records the end of an operation that was begun.
    fn close(&self, code: Option<ErrorKind>) -> Result<()> {
        let Some(in_flight) = self.in_flight.take() else { return Ok(()) };
        let mut record = self.record.borrow_mut();
        set_outcome(&mut record, code);
        self.caller.with_journal(|journal| journal.end(in_flight, &record))
    }

    /// Returns the id of the operation.
    pub fn id(&self) -> String {
        self.record.borrow().id.clone()
    }

    fn new_id(&self) -> String {
        let state = &self.caller.state;
        let mut mac = state.approvals.secret().mac("journal");
        mac.feed(&now().to_be_bytes());
        mac.feed(&state.duplicates.ticket().number().to_be_bytes());
        short(mac.finish())
    }
}

fn set_outcome(record: &mut Record, code: Option<ErrorKind>) {
    record.outcome = match code {
        None => Outcome::Done,
        Some(ErrorKind::Declined) => Outcome::Declined,
        Some(_) => Outcome::Failed,
    };
    record.error = code.map(|code| code.code().to_owned());
}
