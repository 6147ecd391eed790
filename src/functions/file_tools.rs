//! The file tools: what SQL functions and tool calls of the same names do, and how they are approved.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::host::Host;
use super::planned::{Effect, Planned, file_name};
use super::{grants, reading, settings};
use crate::edit::payload::Payload;
use crate::edit::{Plan, Ticket, check_base};
use crate::error::{Error, Result, quoted};
use crate::ffi::Settings;
use crate::git::blob_id;
use crate::sandbox::Place;
use crate::text::lines::line_count;
use crate::text::{Engine, Stop, is_binary};
use crate::tools::{
    EditFileArguments, EditResult, FileCall, ReadFileArguments, ReadResult, WriteFileArguments, WriteResult,
};

/// The file tools under the settings of one execution.
pub struct FileTools {
    host: Host,
    ticket: Ticket,
}

impl FileTools {
    /// Prepares a thread of an execution of a SQL function.
    pub fn open(function: &str, settings: Settings) -> Result<Self> {
        Ok(Self::new(Host::open(function, settings)?))
    }

    /// Prepares a call.
    pub fn new(host: Host) -> Self {
        let ticket = host.database.repeats.ticket();
        Self { host, ticket }
    }

    /// Reads a text, or the part of it that is asked for.
    pub fn read(&self, arguments: &ReadFileArguments) -> Result<ReadResult> {
        let path = &arguments.path;
        let bytes = match self.host.access.sandboxes() {
            Some(sandboxes) => self.read_place(sandboxes.resolve(path)?)?,
            None => reading::read_file_for(path, &self.host)?,
        };
        if is_binary(&bytes) {
            return Err(Error::invalid_args(format!("{} is a binary file of {} bytes", quoted(path), bytes.len()))
                .with_hint("read_file reads texts"));
        }
        let count = |given: u64| usize::try_from(given).unwrap_or(usize::MAX);
        let text = String::from_utf8_lossy(&bytes);
        let mut rest = text.chars().skip(count(arguments.offset.unwrap_or(0)));
        let content = rest.by_ref().take(arguments.max_chars.map_or(usize::MAX, count)).collect();
        let (lines, truncated) = (line_count(&bytes), rest.next().is_some());
        Ok(ReadResult { path: path.clone(), content, lines, bytes: bytes.len() as u64, truncated })
    }

    fn read_place(&self, place: Place<'_>) -> Result<Vec<u8>> {
        if self.host.may_show(&place) {
            return place.read();
        }
        let planned = Planned::read(place)?;
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
        let planned = Planned::write(self.writable(path)?, &arguments.content)?;
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
            None => format!("Created {path} ({})", lines(&content)),
            Some(_) if is_same => format!("{path} holds this content already ({})", lines(&content)),
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
        let may_show = self.host.may_show(&place);
        let planned = self.plan_edit(engine, place, arguments);
        let planned = planned.and_then(|planned| {
            self.refuse_repeat(&planned)?;
            let content = self.allowed(&planned)?;
            Ok((planned, content))
        });
        // Whether a string stands in the file is a part of what it holds.
        let (planned, content) = if may_show { planned? } else { planned.map_err(|_| unseen(path))? };
        planned.place.write(&content, &planned.was)?;
        let connection = self.host.settings.connection();
        self.host.database.repeats.record(connection, planned.operation().request(), self.ticket);
        let Effect::Edit(_, plan) = &planned.effect else { unreachable!("an edit was planned") };
        Ok(EditResult {
            path: path.clone(),
            replacements_made: plan.replacements_made(),
            lines_changed: plan.lines_changed(),
            message: plan.message(planned.file()),
            unified_diff: plan.unified_diff.clone(),
            base_oid: planned.base_oid.clone().unwrap_or_default(),
            oid: blob_id(&content)?,
        })
    }

    fn plan_edit<'a>(
        &self,
        engine: &mut Engine,
        place: Place<'a>,
        arguments: &'a EditFileArguments,
    ) -> Result<Planned<'a>> {
        let edits = arguments.edits()?;
        let was = place.read_for_writing()?;
        let Some(bytes) = was.bytes() else {
            // The file's own error names those that were perhaps meant.
            place.read()?;
            return Err(Error::stale(format!("{} has just been made", quoted(&arguments.path))).with_hint("Ask again"));
        };
        let base_oid = blob_id(bytes)?;
        let file = file_name(&place);
        if let Some(given) = &arguments.base_oid {
            check_base(file, given, &base_oid)?;
        }
        let most = place.sandbox().max_file_bytes();
        let plan = Plan::new(engine, file, bytes, &edits, most, &Stop::never())?;
        Ok(Planned::new(place, was, Some(base_oid), Effect::Edit(edits, plan)))
    }

    /// Refuses an edit that a copy of this call has made in this statement.
    fn refuse_repeat(&self, planned: &Planned<'_>) -> Result<()> {
        let (connection, request) = (self.host.settings.connection(), planned.operation().request());
        if !self.host.database.repeats.is_repeat(connection, request, self.ticket) {
            return Ok(());
        }
        Err(Error::stale(format!("this statement has made this edit of {} already", planned.file())).with_hint(
            "DuckDB has evaluated the call twice: write SELECT edit_file(…), and take fields from its result in a second \
             statement",
        ))
    }

    /// Returns the payload that a person decides on, or `None` when nobody has to be asked.
    pub fn needs_approval(&self, call: &FileCall) -> Result<Option<Payload>> {
        if matches!(call, FileCall::Read(_)) && self.host.access.sandboxes().is_none() {
            return Ok(None);
        }
        let planned = self.plan(call)?;
        let is_allowed = || self.host.database.approvals.allows(&planned.operation(), Instant::now(), self.ttl());
        if !self.asks(&planned) || is_allowed() { Ok(None) } else { self.propose(&planned).map(Some) }
    }

    /// Returns the payload that shows a person what the call would do, and lets it be approved.
    pub fn approval(&self, call: &FileCall) -> Result<Payload> {
        self.propose(&self.plan(call)?)
    }

    /// Plans a call whose payload may be shown.
    fn plan<'a>(&'a self, call: &'a FileCall) -> Result<Planned<'a>> {
        let place = match call {
            FileCall::Read(arguments) => self.place(&arguments.path),
            FileCall::Write(arguments) => self.writable(&arguments.path),
            FileCall::Edit(arguments) => self.writable(&arguments.path),
        }?;
        self.require_sight(&place)?;
        match call {
            FileCall::Read(_) => Planned::read(place),
            FileCall::Write(arguments) => Planned::write(place, &arguments.content),
            FileCall::Edit(arguments) => self.plan_edit(&mut Engine::default(), place, arguments),
        }
    }

    /// Records an operation that may be approved from now on.
    fn propose(&self, planned: &Planned<'_>) -> Result<Payload> {
        let proposal = planned.proposal()?;
        let payload = proposal.payload.clone();
        self.host.database.approvals.propose(&planned.operation(), proposal, Instant::now(), self.ttl());
        Ok(payload)
    }

    /// Returns what an operation writes, if nobody has to be asked or somebody has said yes.
    fn allowed(&self, planned: &Planned<'_>) -> Result<Arc<[u8]>> {
        if !self.asks(planned) {
            return Ok(planned.result().unwrap_or_default().into());
        }
        let proposal = planned.proposal()?;
        self.host.database.approvals.take(&planned.operation(), proposal, Instant::now(), self.ttl())
    }

    /// Tells whether a person must see the operation first. An edit shows what stands around it, so
    /// where reading wants a yes, editing does.
    fn asks(&self, planned: &Planned<'_>) -> bool {
        planned.is_asked_about() || matches!(planned.effect, Effect::Edit(..)) && !self.host.may_show(&planned.place)
    }

    /// Refuses to show a payload of a file that must not be read unseen to who cannot say yes to it.
    fn require_sight(&self, place: &Place<'_>) -> Result<()> {
        if self.host.may_show(place) { Ok(()) } else { grants::require_tool(grants::APPROVE, &self.host.settings) }
    }

    fn ttl(&self) -> Duration {
        settings::approval_ttl(&self.host.settings)
    }

    /// Returns the place that a path names in a sandbox.
    fn place(&self, path: &str) -> Result<Place<'_>> {
        let sandboxes = self.host.access.sandboxes().ok_or_else(|| {
            Error::fs_denied(format!("{} lies in no sandbox: none is configured", quoted(path)))
                .with_hint("Ask the host to name a folder in redline_sandboxes")
        })?;
        sandboxes.resolve(path)
    }

    /// Returns the place that a path names, if anything may be written at all.
    fn writable(&self, path: &str) -> Result<Place<'_>> {
        let Some(sandboxes) = self.host.access.sandboxes() else {
            return Err(Error::fs_denied(format!("{} cannot be written: no sandbox is configured", quoted(path)))
                .with_hint("Ask the host to name a folder with mode 'rw' in redline_sandboxes"));
        };
        let place = sandboxes.resolve(path)?;
        place.check_writable()?;
        Ok(place)
    }
}

/// Returns the refusal that tells nothing of what the file holds.
fn unseen(path: &str) -> Error {
    Error::approval_required(format!("editing {} must be approved, and so must reading it", quoted(path))).with_hint(
        "Call it again when the host has approved it; if nothing waits there, old_string does not stand in the file once",
    )
}
