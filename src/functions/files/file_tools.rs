//! The file tools: what SQL functions and tool calls of the same names do, and how they are approved.

use std::sync::Arc;

use super::planned_operation::{Effect, PlannedOperation, edit_arguments, file_name};
use crate::budget::{Budget, lossy, owned};
use crate::edit::{
    Digest, Edit, FileTool, Operation, Plan, Session, Ticket, check_base, payload, required,
};
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::ffi::{Field, Settings, Type};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::file_input;
use crate::functions::context::settings;
use crate::functions::surface::Declared;
use crate::git::{BlobHasher, blob_id};
use crate::sandbox::{Expected, Place};
use crate::text::lines::line_count;
use crate::text::{CancelToken, Engine, is_binary};
use crate::tools::{
    EditFileArguments, EditResult, FileCall, ReadResult, WriteFileArguments, WriteResult,
};

/// The file that a tool is called for.
pub const PATH: Field = Field::new("path", Type::Varchar, "The file, as sandbox/relative/path");

/// The file tools under the settings of one execution, for one session.
pub struct FileTools {
    execution: ExecutionContext,
    ticket: Ticket,
    session: Session,
}

impl FileTools {
    /// Prepares a thread of an execution of a SQL function; what it does is done for its connection.
    pub fn open<F: Declared>(settings: Settings) -> Result<Self> {
        let execution = ExecutionContext::open::<F>(settings)?;
        let session = execution.own_session();
        Ok(Self::new(execution, session))
    }

    /// Prepares a call.
    pub fn new(execution: ExecutionContext, session: Session) -> Self {
        let ticket = execution.database.repeats.ticket();
        Self { execution, ticket, session }
    }

    /// Returns the host's settings.
    pub fn execution(&self) -> &ExecutionContext {
        &self.execution
    }

    /// Returns what the calls may use together.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.execution.budget
    }

    /// Does what follows for another session.
    pub fn for_session(&mut self, session: Session) {
        self.session = session;
    }

    /// Reads a text, or the part of it that is asked for.
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
        let hidden = Hidden::read(&place);
        let planned = self.plan_unseen(&hidden, || PlannedOperation::read(place))?;
        self.allowed(&planned)?;
        match planned.was.bytes() {
            Some(bytes) => Ok(bytes.to_vec()),
            // The file's own error names those that were perhaps meant.
            None => planned.place.read(),
        }
    }

    /// Makes a file or replaces it as a whole.
    pub fn write(&self, arguments: &WriteFileArguments) -> Result<WriteResult> {
        let path = &arguments.path;
        let place = self.writable(path)?;
        let may_show = self.may_show(&place);
        let planned = if may_show {
            PlannedOperation::write(place, &arguments.content)?
        } else {
            let hidden = Hidden::write(&place, &arguments.content);
            self.plan_unseen(&hidden, || PlannedOperation::write(place, &arguments.content))?
        };
        let content = self.allowed(&planned)?;
        let was = planned.was.bytes();
        let is_same = was.is_some_and(|was| *was == *content);
        if !is_same {
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
    pub fn edit(&self, engine: &mut Engine, arguments: &EditFileArguments) -> Result<EditResult> {
        let path = &arguments.path;
        let place = self.writable(path)?;
        let planned = if self.may_show(&place) {
            self.plan_edit(engine, place, arguments)?
        } else {
            let edits = arguments.edits()?;
            let hidden = Hidden::edit(&place, &edits);
            // Whether a string stands in the file is a part of what it holds.
            self.plan_unseen(&hidden, || self.plan_edit(engine, place, arguments))?
        };
        self.refuse_repeat(&planned)?;
        let content = self.allowed(&planned)?;
        let id = self.id(&planned);
        let written = planned.place.write_then(&content, &planned.was, || self.record_edit(id));
        // Whoever has named a version, or has seen one, means that one.
        let may_be_planned_again = arguments.base_oid.is_none() && !self.asks(&planned);
        let planned = match written {
            Err(error) if error.kind() == ErrorKind::Stale && may_be_planned_again => {
                self.edit_as_it_is(engine, planned.place, arguments, id)?
            }
            written => written.map(|()| planned)?,
        };
        let content = planned.result().unwrap_or_default();
        let Effect::Edit(_, plan) = &planned.effect else { unreachable!("an edit was planned") };
        Ok(EditResult {
            path: path.clone(),
            replacements_made: plan.replacements_made(),
            lines_changed: plan.lines_changed(),
            message: plan.message(planned.file()),
            unified_diff: plan.unified_diff.clone(),
            base_oid: planned.base_oid.clone().unwrap_or_default(),
            oid: blob_id(content)?,
        })
    }

    /// Makes an edit of what the file holds while no other writer changes it.
    fn edit_as_it_is<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        arguments: &'a EditFileArguments,
        id: Digest,
    ) -> Result<PlannedOperation<'a>> {
        let mut made = None;
        let make = |was: &Expected| {
            let planned = self.plan_edit_of(engine, place.clone(), was.clone(), arguments)?;
            // A copy of this call may have made it meanwhile.
            self.refuse_repeat(&planned)?;
            let content = planned.result().unwrap_or_default().to_vec();
            made = Some(planned);
            Ok(content)
        };
        place.rewrite(make, || self.record_edit(id))?;
        made.ok_or_else(|| Error::tool_failed("an edit was written that nobody has planned"))
    }

    /// Remembers that this call has made an edit.
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
        arguments: &'a EditFileArguments,
    ) -> Result<PlannedOperation<'a>> {
        // What is wrong with the arguments is told before the file is read.
        arguments.edits()?;
        let was = place.read_for_writing()?;
        self.plan_edit_of(engine, place, was, arguments)
    }

    fn plan_edit_of<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        was: Expected,
        arguments: &'a EditFileArguments,
    ) -> Result<PlannedOperation<'a>> {
        let edits = arguments.edits()?;
        let Some(bytes) = was.bytes() else {
            // The file's own error names those that were perhaps meant.
            place.read()?;
            return Err(Error::stale(format!("{} was just created", quoted(&arguments.path)))
                .with_hint("Ask again"));
        };
        let base_oid = blob_id(bytes)?;
        let file = file_name(&place);
        if let Some(given) = &arguments.base_oid {
            check_base(file, given, &base_oid)?;
        }
        let most = place.sandbox().max_file_bytes();
        let plan =
            Plan::new(engine, file, bytes, &edits, most, &CancelToken::of(&self.execution.budget))?;
        Ok(PlannedOperation::new(place, was, Some(base_oid), Effect::Edit(edits, plan)))
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

    /// Returns the payload that a person decides on, or `None` when nobody has to be asked; what must not be read unseen
    /// is in it only for the holder of the host's key.
    pub fn needs_approval(&self, call: &FileCall, holds_key: bool) -> Result<Option<String>> {
        if matches!(call, FileCall::Read(_)) && self.execution.access.sandboxes().is_none() {
            return Ok(None);
        }
        self.payload(call, holds_key, false)
    }

    /// Returns the payload that shows a person what the call would do, and lets it be approved.
    pub fn approval(&self, call: &FileCall) -> Result<String> {
        Ok(self.payload(call, false, true)?.unwrap_or_default())
    }

    fn payload(&self, call: &FileCall, holds_key: bool, is_asked: bool) -> Result<Option<String>> {
        let place = match call {
            FileCall::Read(arguments) => self.place(&arguments.path),
            FileCall::Write(arguments) => self.writable(&arguments.path),
            FileCall::Edit(arguments) => self.writable(&arguments.path),
        }?;
        let edits = match call {
            FileCall::Edit(arguments) => arguments.edits()?,
            _ => Vec::new(),
        };
        let hidden = match call {
            FileCall::Read(_) => Hidden::read(&place),
            FileCall::Write(arguments) => Hidden::write(&place, &arguments.content),
            FileCall::Edit(_) => Hidden::edit(&place, &edits),
        };
        let is_hidden = !holds_key && !self.may_show(&place);
        let rules = settings::rules(&self.execution.settings);
        let approvals = &self.execution.database.approvals;
        let is_unseen = !self.may_show(&place);
        if is_hidden {
            approvals.count_unseen(&hidden.operation(&self.session), rules)?;
        } else {
            approvals.check_quota(&hidden.operation(&self.session), rules)?;
        }
        let id = hidden.operation(&self.session).id(approvals.secret());
        let shown = payload::hidden(hidden.tool, &hidden.shown, place.sandbox().name(), id);
        let plan = || {
            let planned = match call {
                FileCall::Read(_) => PlannedOperation::read(place),
                FileCall::Write(arguments) => PlannedOperation::write(place, &arguments.content),
                FileCall::Edit(arguments) => {
                    self.plan_edit(&mut Engine::default(), place, arguments)
                }
            }?;
            let operation = planned.operation(&self.session);
            if !is_asked && (!self.asks(&planned) || approvals.allows(&operation, rules)) {
                return Ok(None);
            }
            let proposal = planned.proposal(id)?.hidden(is_unseen);
            let json = proposal.payload.to_json();
            approvals.propose(&operation, proposal, rules)?;
            Ok(Some(json))
        };
        match plan() {
            Ok(None) => Ok(None),
            // What went wrong depends on the file.
            _ if is_hidden => Ok(Some(shown)),
            planned => planned,
        }
    }

    /// Plans an operation on a file that must not be read unseen: until a person has said yes, the answer depends on
    /// nothing that the file holds, or whether it is there.
    fn plan_unseen<'a>(
        &self,
        hidden: &Hidden<'a>,
        plan: impl FnOnce() -> Result<PlannedOperation<'a>>,
    ) -> Result<PlannedOperation<'a>> {
        let approvals = &self.execution.database.approvals;
        let rules = settings::rules(&self.execution.settings);
        let operation = hidden.operation(&self.session);
        approvals.count_unseen(&operation, rules)?;
        let id = operation.id(approvals.secret());
        let outline = payload::outline(hidden.tool, &hidden.shown);
        approvals.check_declined(&operation, &outline, rules)?;
        let refused = || Err(self.execution.unapproved(&outline, required(&outline, id)));
        let Ok(planned) = plan() else { return refused() };
        let operation = planned.operation(&self.session);
        if approvals.has_answer(&operation, rules) {
            return Ok(planned);
        }
        if let Ok(proposal) = planned.proposal(id) {
            // Whether there is room for it depends on the size of the file.
            let _ = approvals.propose(&operation, proposal.hidden(true), rules);
        }
        refused()
    }

    /// Returns what an operation writes, if nobody has to be asked or somebody has said yes.
    fn allowed(&self, planned: &PlannedOperation<'_>) -> Result<Arc<[u8]>> {
        if !self.asks(planned) {
            return Ok(planned.result().unwrap_or_default().into());
        }
        let proposal = planned.proposal(self.id(planned))?.hidden(!self.may_show(&planned.place));
        let outline = if self.may_show(&planned.place) {
            proposal.payload.description().to_owned()
        } else {
            payload::outline(planned.operation(&self.session).tool, &planned.place.to_string())
        };
        let rules = settings::rules(&self.execution.settings);
        let approvals = &self.execution.database.approvals;
        approvals
            .take(&planned.operation(&self.session), proposal, &outline, rules)
            .map_err(|error| self.execution.unapproved(&outline, error))
    }

    /// Tells whether a person must see the operation first. An edit shows what stands around it and a write whether
    /// there is a file, so where reading wants a yes, they do.
    fn asks(&self, planned: &PlannedOperation<'_>) -> bool {
        planned.is_asked_about() || !self.may_show(&planned.place)
    }

    fn may_show(&self, place: &Place<'_>) -> bool {
        self.execution.may_show(place, &self.session)
    }

    fn id(&self, planned: &PlannedOperation<'_>) -> Digest {
        planned.operation(&self.session).id(self.execution.database.approvals.secret())
    }

    /// Returns the place that a path names in a sandbox.
    fn place(&self, path: &str) -> Result<Place<'_>> {
        let sandboxes = self.execution.access.sandboxes().ok_or_else(|| {
            Error::fs_denied(format!("{} lies in no sandbox: none is configured", quoted(path)))
                .with_hint("Ask the host to configure a directory in redline_sandboxes")
        })?;
        sandboxes.resolve(path)
    }

    /// Returns the place that a path names, if anything may be written at all.
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
        let place = sandboxes.resolve(path)?;
        place.check_writable()?;
        Ok(place)
    }
}

/// Reads a file of a sandbox piece by piece; what a piece is made of stays in memory no longer than it.
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
        .with_hint("read_file reads texts")
}

/// An operation as far as it does not depend on the file.
struct Hidden<'a> {
    tool: FileTool,
    sandbox: &'a [u8],
    path: String,
    /// The path with its sandbox.
    shown: String,
    arguments: Vec<&'a [u8]>,
}

impl<'a> Hidden<'a> {
    fn new(tool: FileTool, place: &Place<'a>, arguments: Vec<&'a [u8]>) -> Self {
        let (sandbox, path) = (place.sandbox().identity(), place.path().as_str().to_owned());
        Self { tool, sandbox, path, shown: place.to_string(), arguments }
    }

    fn read(place: &Place<'a>) -> Self {
        Self::new(FileTool::Read, place, Vec::new())
    }

    fn write(place: &Place<'a>, content: &'a str) -> Self {
        Self::new(FileTool::Write, place, vec![content.as_bytes()])
    }

    fn edit(place: &Place<'a>, edits: &[Edit<'a>]) -> Self {
        Self::new(FileTool::Edit, place, edits.iter().flat_map(edit_arguments).collect())
    }

    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        let (path, arguments) = (self.path.as_bytes(), &self.arguments[..]);
        Operation {
            session,
            tool: self.tool,
            sandbox: self.sandbox,
            path,
            arguments,
            base: None,
            result: None,
            mode: None,
        }
    }
}
