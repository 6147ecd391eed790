//! The file tools: the work of SQL functions and tools of the same names, and their approval.

use std::ops::ControlFlow::{Break, Continue};
use std::sync::Arc;

use super::hidden_call::{Hidden, call_of};
use super::planned_operation::{Effect, PlannedOperation, file_name};
use super::question::Question;
use crate::budget::{Budget, check_current, lossy, owned};
use crate::edit::{
    Digest, FileTool, Plan, Proposal, Rules, Session, Taken, Ticket, check_base, payload, required,
};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::ffi::Settings;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::file_input;
use crate::functions::context::grants;
use crate::functions::context::journal::{Recorded, file_at};
use crate::functions::context::settings;
use crate::functions::surface::Declared;
use crate::git::{BlobHasher, blob_id};
use crate::sandbox::{Expected, Place};
use crate::text::lines::line_count;
use crate::text::{CancelToken, Engine, is_binary};
use crate::tools::{
    EditCall, EditResult, FileCall, ReadResult, Replaced, WriteFileArguments, WriteResult,
};

/// The tools that show the content of a file.
const READING: &[&str] = &["read_file", "edit_file"];

/// The file tools under the settings of one execution, for its session.
pub struct FileTools {
    execution: ExecutionContext,
    ticket: Ticket,
}

impl FileTools {
    /// Prepares a thread of an execution of a SQL function, whose session is the connection.
    pub fn open<F: Declared>(settings: Settings) -> Result<Self> {
        let execution = ExecutionContext::open::<F>(settings)?;
        Ok(Self::new(execution))
    }

    /// Prepares a call.
    pub fn new(execution: ExecutionContext) -> Self {
        let ticket = execution.database.repeats.ticket();
        Self { execution, ticket }
    }

    /// Returns the host's settings.
    pub fn execution(&self) -> &ExecutionContext {
        &self.execution
    }

    /// Returns the shared budget of the calls.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.execution.budget
    }

    /// Changes the session of the following calls.
    pub fn for_session(&mut self, session: Session) {
        self.execution.session = session;
    }

    /// Reads a text, or a part of it.
    pub fn read(&self, path: &str, offset: u64, max_chars: Option<u64>) -> Result<ReadResult> {
        let bytes = match self.execution.access.sandboxes() {
            Some(sandboxes) => self.read_place(sandboxes.resolve(path)?)?,
            None => file_input::read_file_for(path, &self.execution)?,
        };
        if is_binary(&bytes) {
            return Err(binary(path, bytes.len() as u64));
        }
        let count = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
        let after = |text: &str, chars: usize| {
            text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
        };
        let text = lossy(&bytes)?;
        let rest = &text[after(&text, count(offset))..];
        let content = &rest[..after(rest, max_chars.map_or(usize::MAX, count))];
        let (lines, truncated) = (line_count(&bytes), content.len() < rest.len());
        let content = owned(content)?;
        Ok(ReadResult {
            path: path.to_owned(),
            content,
            lines,
            bytes: bytes.len() as u64,
            truncated,
        })
    }

    /// Reads a text of any size piece by piece; returns its git blob id.
    pub fn stream(&self, path: &str, mut take: impl FnMut(&[u8])) -> Result<String> {
        let whole = match self.execution.access.sandboxes() {
            Some(sandboxes) => {
                let place = sandboxes.resolve(path)?;
                if self.may_show(&place) {
                    return stream_place(&place, path, take);
                }
                self.read_place(place)?
            }
            None => file_input::read_file_for(path, &self.execution)?,
        };
        if is_binary(&whole) {
            return Err(binary(path, whole.len() as u64));
        }
        take(&whole);
        blob_id(&whole)
    }

    fn read_place(&self, place: Place<'_>) -> Result<Vec<u8>> {
        if self.may_show(&place) {
            return place.read();
        }
        let planned =
            self.plan_unseen(&Hidden::read(&place), || PlannedOperation::read(place.clone()))?;
        self.taken(&planned)?;
        match planned.was.bytes() {
            Some(bytes) => Ok(bytes.to_vec()),
            // The file's own error suggests similar names.
            None => planned.place.read(),
        }
    }

    /// Creates a file or replaces its whole content.
    pub fn write(&self, arguments: &WriteFileArguments) -> Result<WriteResult> {
        let path = &arguments.path;
        let place = self.writable(path)?;
        let recorded = self.recorded(FileTool::Write, &place);
        let written = self.write_recorded(place, arguments, &recorded);
        recorded.end(written)
    }

    fn write_recorded(
        &self,
        place: Place<'_>,
        arguments: &WriteFileArguments,
        recorded: &Recorded<'_>,
    ) -> Result<WriteResult> {
        let path = &arguments.path;
        let may_show = self.may_show(&place);
        let planned = if may_show {
            PlannedOperation::write(place, &arguments.content)?
        } else {
            let hidden = Hidden::write(&place, &arguments.content);
            let plan = || PlannedOperation::write(place.clone(), &arguments.content);
            self.plan_unseen(&hidden, plan)?
        };
        let content = self.allowed(&planned, recorded)?;
        let was = planned.was.bytes();
        let is_same = was.is_some_and(|was| *was == *content);
        if !is_same {
            recorded.begin(vec![planned.changed(&content)?])?;
            planned.place.write(&content, &planned.was)?;
        }
        let lines = |bytes: &[u8]| match line_count(bytes) {
            1 => "1 line".to_owned(),
            count => format!("{count} lines"),
        };
        let message = match was {
            _ if !may_show => format!("Wrote {path} ({})", lines(&content)),
            None => format!("Created {path} ({})", lines(&content)),
            Some(_) if is_same => {
                format!("{path} holds this content already ({})", lines(&content))
            }
            Some(was) => format!("Overwrote {path} (was {}, now {})", lines(was), lines(&content)),
        };
        Ok(WriteResult {
            path: path.clone(),
            bytes_written: content.len() as u64,
            lines_written: line_count(&content),
            created: was.is_none(),
            message,
        })
    }

    /// Replaces passages of a file.
    pub fn edit(&self, engine: &mut Engine, call: EditCall<'_>) -> Result<EditResult> {
        let place = self.writable(call.path())?;
        let recorded = self.recorded(call.tool(), &place);
        let edited = self.edit_recorded(engine, place, call, &recorded);
        recorded.end(edited)
    }

    fn edit_recorded(
        &self,
        engine: &mut Engine,
        place: Place<'_>,
        call: EditCall<'_>,
        recorded: &Recorded<'_>,
    ) -> Result<EditResult> {
        let planned = if self.may_show(&place) {
            self.plan_edit(engine, place, call)?
        } else {
            let hidden = Hidden::edit(&place, &call.replaced()?, call.base_oid());
            self.plan_unseen(&hidden, || self.plan_edit(engine, place.clone(), call))?
        };
        self.refuse_repeat(&planned)?;
        let content = self.allowed(&planned, recorded)?;
        let id = self.id(&planned);
        recorded.begin(vec![planned.changed(&content)?])?;
        let written = planned.place.write_then(&content, &planned.was, || self.record_edit(id));
        // A call with a version, or one whose payload was shown, means that version.
        let may_be_planned_again = call.base_oid().is_none() && !self.asks(&planned);
        let planned = match written {
            Err(error) if error.kind() == ErrorKind::Stale && may_be_planned_again => {
                self.edit_as_it_is(engine, planned.place, (call, recorded), id)?
            }
            written => written.map(|()| planned)?,
        };
        let content = planned.result().unwrap_or_default();
        let Effect::Edit(_, plan) = &planned.effect else { unreachable!("an edit was planned") };
        Ok(EditResult {
            path: call.path().to_owned(),
            replacements_made: plan.replacements_made(),
            lines_changed: plan.lines_changed(),
            message: plan.message(planned.file()),
            unified_diff: plan.diff.unified_diff.clone(),
            base_oid: planned.base_oid.clone().unwrap_or_default(),
            oid: blob_id(content)?,
        })
    }

    /// Makes an edit of the current content while no other writer changes it.
    fn edit_as_it_is<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        (call, recorded): (EditCall<'a>, &Recorded<'_>),
        id: Digest,
    ) -> Result<PlannedOperation<'a>> {
        let mut made = None;
        let make = |was: &Expected| {
            let planned = self.plan_edit_of(engine, place.clone(), was.clone(), call)?;
            // A copy of this call may have made it in the meantime.
            self.refuse_repeat(&planned)?;
            let content = planned.result().unwrap_or_default().to_vec();
            recorded.begin(vec![planned.changed(&content)?])?;
            made = Some(planned);
            Ok(content)
        };
        place.rewrite(make, || self.record_edit(id))?;
        made.ok_or_else(|| Error::tool_failed("an edit was written without a plan"))
    }

    /// Records that this call has made an edit.
    fn record_edit(&self, id: Digest) {
        self.execution.database.repeats.record(
            self.execution.settings.connection(),
            id,
            self.ticket,
        );
    }

    fn plan_edit<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        call: EditCall<'a>,
    ) -> Result<PlannedOperation<'a>> {
        // Wrong arguments are reported before the file is read.
        call.replaced()?;
        let was = place.read_for_writing()?;
        self.plan_edit_of(engine, place, was, call)
    }

    fn plan_edit_of<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        was: Expected,
        call: EditCall<'a>,
    ) -> Result<PlannedOperation<'a>> {
        let replaced = call.replaced()?;
        let Some(bytes) = was.bytes() else {
            let creates = match &replaced {
                Replaced::Strings(edits) => edits.iter().any(|edit| edit.old_string.is_empty()),
                Replaced::Lines(edit) => edit.lines == [1, 0],
            };
            // The file's own error suggests similar names.
            place.read().map_err(|error| match creates {
                true => error.and_hint("write_file creates a file"),
                false => error,
            })?;
            return Err(Error::stale(format!("{} was just created", quoted(call.path())))
                .with_hint("Ask again"));
        };
        let base_oid = blob_id(bytes)?;
        let file = file_name(&place);
        if let Some(given) = call.base_oid() {
            check_base(file, given, &base_oid)?;
        }
        let most = place.sandbox().max_file_bytes();
        let cancel = CancelToken::of(&self.execution.budget);
        let plan = match &replaced {
            Replaced::Strings(edits) => Plan::new(engine, file, bytes, edits, most, &cancel),
            &Replaced::Lines(edit) => {
                Plan::of_lines(engine, file, bytes, edit.into(), most, &cancel)
            }
        }?;
        Ok(PlannedOperation::new(place, was, Some(base_oid), Effect::Edit(replaced, plan)))
    }

    /// Refuses an edit that a copy of this call has made in this statement.
    fn refuse_repeat(&self, planned: &PlannedOperation<'_>) -> Result<()> {
        let (connection, request) = (self.execution.settings.connection(), self.id(planned));
        if !self.execution.database.repeats.is_repeat(connection, request, self.ticket) {
            return Ok(());
        }
        Err(Error::stale(format!("this statement has already made this edit of {}", planned.file())).with_hint(
            "DuckDB has evaluated the call twice: write SELECT edit_file(…), and take fields from its result in a second \
             statement",
        ))
    }

    /// Returns the payload for a person's decision, or `None` if none is needed; the content of a
    /// file that must not be read unseen is in it only for the holder of the host's key.
    pub fn needs_approval(&self, call: &FileCall, holds_key: bool) -> Result<Option<String>> {
        if matches!(call, FileCall::Read(_)) && self.execution.access.sandboxes().is_none() {
            return Ok(None);
        }
        self.payload(call, holds_key, false)
    }

    /// Returns a payload that describes the call to a person and can be approved.
    pub fn approval(&self, call: &FileCall) -> Result<String> {
        Ok(self.payload(call, false, true)?.unwrap_or_default())
    }

    fn payload(&self, call: &FileCall, holds_key: bool, is_asked: bool) -> Result<Option<String>> {
        let place = match call {
            FileCall::Patch(arguments) => {
                return self.patch_payload(arguments, holds_key, is_asked);
            }
            FileCall::Read(arguments) => self.place(&arguments.path),
            FileCall::Write(arguments) => self.writable(&arguments.path),
            FileCall::Edit(arguments) => self.writable(&arguments.path),
            FileCall::Lines(arguments) => self.writable(&arguments.path),
            // It changes files that the session may see.
            FileCall::Undo(arguments) => return self.undo_payload(&arguments.chosen()),
        }?;
        let edit = match call {
            FileCall::Edit(arguments) => Some(EditCall::Strings(arguments)),
            FileCall::Lines(arguments) => Some(EditCall::Lines(arguments)),
            _ => None,
        };
        let replaced = edit.map(EditCall::replaced).transpose()?;
        let approvals = &self.execution.database.approvals;
        let hidden = match (call, &edit, &replaced) {
            (_, Some(edit), Some(replaced)) => Hidden::edit(&place, replaced, edit.base_oid()),
            (FileCall::Write(arguments), ..) => Hidden::write(&place, &arguments.content),
            _ => Hidden::read(&place),
        };
        let question = Question {
            hidden,
            sandbox: place.sandbox().name(),
            is_unseen: !self.may_show(&place),
            is_asked,
            holds_key,
            rules: self.rules_of(holds_key),
        };
        let id = match self.ask(&question)? {
            Break(answer) => return Ok(answer),
            Continue(id) => id,
        };
        let planned = match (call, edit) {
            (_, Some(edit)) => self.plan_edit(&mut Engine::default(), place, edit),
            (FileCall::Write(arguments), _) => PlannedOperation::write(place, &arguments.content),
            _ => PlannedOperation::read(place),
        }?;
        let operation = planned.operation(&self.execution.session);
        if !is_asked && (!self.asks(&planned) || approvals.allows(&operation, question.rules)) {
            return Ok(None);
        }
        let proposal = self.proposal(&planned, id)?;
        self.record(&question, &operation, proposal).map(Some)
    }

    /// Plans the calls that were requested on files that must not be read unseen, for the holder of
    /// the host's key. A call that cannot be planned, such as an edit of a missing text, is left:
    /// there is nothing to decide.
    ///
    /// # Errors
    /// The reason for which the work of the thread stops.
    pub fn plan_requests(&mut self) -> Result<()> {
        let database = Arc::clone(&self.execution.database);
        for (session, request) in database.approvals.requests(self.rules()) {
            self.for_session(session);
            let planned = call_of(&request).and_then(|call| self.payload(&call, true, false));
            if planned.is_err() {
                // The error of one call is reported when it is made; the end of the thread's work
                // ends the loop.
                check_current()?;
                self.execution.budget.check()?;
            }
        }
        Ok(())
    }

    /// Plans an operation on a file that must not be read unseen, after a person has approved it.
    /// Until then the call is recorded and the file is not opened: the answer, its time and the
    /// rest of the quotas depend on the call alone.
    pub(super) fn plan_unseen<T>(
        &self,
        hidden: &Hidden<'_>,
        plan: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let approvals = &self.execution.database.approvals;
        let rules = self.rules();
        let operation = hidden.operation(&self.execution.session);
        let outline = payload::outline(hidden.tool, &hidden.shown);
        approvals.check_declined(&operation, &outline, rules)?;
        if approvals.has_answer(&operation, rules) {
            return plan().map_err(|error| approvals.void(&operation, &outline, error, rules));
        }
        approvals.request(&operation, &hidden.shown, hidden.base_oid, rules)?;
        let id = operation.id(approvals.secret());
        Err(self.execution.unapproved(&outline, required(&outline, id)))
    }

    /// Starts the record of a call.
    fn recorded(&self, tool: FileTool, place: &Place<'_>) -> Recorded<'_> {
        Recorded::new(&self.execution, tool.name(), vec![file_at(place)])
    }

    /// Returns the content to write, if the operation needs no approval or has one.
    fn allowed(
        &self,
        planned: &PlannedOperation<'_>,
        recorded: &Recorded<'_>,
    ) -> Result<Arc<[u8]>> {
        let taken = self.taken(planned)?;
        recorded.allowed_by(taken.given.as_ref());
        Ok(taken.result)
    }

    /// As [`Self::allowed`], with the approval.
    fn taken(&self, planned: &PlannedOperation<'_>) -> Result<Taken> {
        if !self.asks(planned) {
            let result = planned.result().unwrap_or_default().into();
            return Ok(Taken { result, given: None });
        }
        let operation = planned.operation(&self.execution.session);
        let (proposal, outline) = if self.may_show(&planned.place) {
            let proposal = self.proposal(planned, self.id(planned))?;
            let outline = proposal.payload.description().to_owned();
            (Some(proposal), outline)
        } else {
            (None, payload::outline(operation.tool, &planned.place.to_string()))
        };
        let approvals = &self.execution.database.approvals;
        approvals
            .take(&operation, proposal, &outline, self.rules())
            .map_err(|error| self.execution.unapproved(&outline, error))
    }

    /// Returns the description of an operation for a person. It has no content that the agent may
    /// not read with any tool.
    fn proposal(&self, planned: &PlannedOperation<'_>, id: Digest) -> Result<Proposal> {
        planned.proposal(id, self.may_read(), &CancelToken::of(&self.execution.budget))
    }

    /// Tells whether a person must approve the operation. An edit shows the surrounding text and a
    /// write shows whether the file exists, so they need approval wherever reading does; an
    /// operation that changes nothing needs none, unless that would reveal the content.
    fn asks(&self, planned: &PlannedOperation<'_>) -> bool {
        if !self.may_show(&planned.place) {
            return true;
        }
        planned.is_asked_about() && !(planned.changes_nothing() && self.may_read())
    }

    /// Tells whether a granted tool shows the content of files.
    fn may_read(&self) -> bool {
        grants::is_one_granted(READING, &self.execution.settings)
    }

    pub(super) fn may_show(&self, place: &Place<'_>) -> bool {
        self.execution.may_show(place)
    }

    fn id(&self, planned: &PlannedOperation<'_>) -> Digest {
        let operation = planned.operation(&self.execution.session);
        operation.id(self.execution.database.approvals.secret())
    }

    pub(super) fn rules(&self) -> Rules {
        settings::rules(&self.execution.settings)
    }

    /// Returns the place of a path in a sandbox.
    fn place(&self, path: &str) -> Result<Place<'_>> {
        let sandboxes = self.execution.access.sandboxes().ok_or_else(|| {
            Error::fs_denied(format!("{} is not in a sandbox: none is configured", quoted(path)))
                .with_hint("Ask the host to configure a directory in redline_sandboxes")
        })?;
        sandboxes.resolve(path)
    }

    /// Returns the place of a path, if its sandbox permits writing.
    fn writable(&self, path: &str) -> Result<Place<'_>> {
        let Some(sandboxes) = self.execution.access.sandboxes() else {
            return Err(Error::fs_denied(format!(
                "{} cannot be written: no sandbox is configured",
                quoted(path)
            ))
            .with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            ));
        };
        let place = sandboxes.resolve_for_writing(path)?;
        // Whether its directory is a repository is also hidden until a person approves.
        if self.may_show(&place) { place.check_writable() } else { place.check_rules() }?;
        Ok(place)
    }
}

/// Reads a file of a sandbox piece by piece; only one piece is in memory.
fn stream_place(place: &Place<'_>, path: &str, mut take: impl FnMut(&[u8])) -> Result<String> {
    let mut hasher = None;
    let mut is_first = true;
    place.stream(|size, piece| {
        let hasher = hasher.get_or_insert_with(|| BlobHasher::new(size));
        if std::mem::take(&mut is_first) && is_binary(piece) {
            return Err(binary(path, size));
        }
        hasher.update(piece);
        take(piece);
        Ok(())
    })?;
    hasher.unwrap_or_else(|| BlobHasher::new(0)).finish()
}

fn binary(path: &str, bytes: u64) -> Error {
    Error::invalid_args(format!("{} is a binary file of {bytes} bytes", quoted(path)))
        .with_hint("read_file reads text files only")
}
