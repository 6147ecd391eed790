//! The file tools: the work of SQL functions and tools of the same names, and their approval.

use std::sync::Arc;

use super::hidden_call::{Hidden, call_of};
use super::planned_operation::{Effect, PlannedOperation, file_name};
use super::question::{Asking, Planned, Question};
use super::recorded::{Recorded, file_at};
use crate::Caller;
use redline_base::budget::{Budget, check_current, lossy, owned};
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_edit::{Digest, FileTool, Plan, Session, Ticket, check_base};
use redline_git::{BlobHasher, blob_id};
use redline_sandbox::{Expected, Place};
use redline_text::lines::line_count;
use redline_text::{CancelToken, Engine, is_binary};
use redline_tools::{
    EditCall, EditResult, FileCall, ReadResult, Replaced, WriteFileArguments, WriteResult,
};

/// The file tools for one caller.
pub struct FileTools {
    caller: Caller,
    ticket: Ticket,
}

impl FileTools {
    /// Prepares the calls of a statement.
    pub fn new(caller: Caller) -> Self {
        let ticket = caller.state.repeats.ticket();
        Self { caller, ticket }
    }

    /// Returns for whom the calls are made.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the shared budget of the calls.
    pub fn budget(&self) -> &Arc<Budget> {
        &self.caller.budget
    }

    /// Changes the session of the following calls.
    pub fn for_session(&mut self, session: Session) {
        self.caller.session = session;
    }

    /// Reads a text, or the part of it that is asked for; `elsewhere` reads while no sandbox is
    /// configured.
    pub fn read(
        &self,
        path: &str,
        offset: u64,
        max_chars: Option<u64>,
        elsewhere: impl FnOnce(&str) -> Result<Vec<u8>>,
    ) -> Result<ReadResult> {
        let bytes = match self.caller.access.sandboxes() {
            Some(sandboxes) => self.read_place(sandboxes.resolve(path)?)?,
            None => elsewhere(path)?,
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

    /// Reads a text of any size piece by piece; returns its git blob id. `elsewhere` reads while no
    /// sandbox is configured.
    pub fn stream(
        &self,
        path: &str,
        mut take: impl FnMut(&[u8]),
        elsewhere: impl FnOnce(&str) -> Result<Vec<u8>>,
    ) -> Result<String> {
        let whole = match self.caller.access.sandboxes() {
            Some(sandboxes) => {
                let place = sandboxes.resolve(path)?;
                if self.caller.may_show(&place) {
                    return stream_place(&place, path, take);
                }
                self.read_place(place)?
            }
            None => elsewhere(path)?,
        };
        if is_binary(&whole) {
            return Err(binary(path, whole.len() as u64));
        }
        take(&whole);
        blob_id(&whole)
    }

    fn read_place(&self, place: Place<'_>) -> Result<Vec<u8>> {
        if self.caller.may_show(&place) {
            return place.read();
        }
        let question = self.question(&place, true, Hidden::read(&place));
        let planned = question.plan(|| PlannedOperation::read(place.clone()))?;
        question.take(&planned)?;
        match planned.was.bytes() {
            Some(bytes) => Ok(bytes.to_vec()),
            // The file's own error suggests similar names.
            None => planned.place.read(),
        }
    }

    /// Creates a file or replaces its whole content.
    pub fn write(&self, arguments: &WriteFileArguments) -> Result<WriteResult> {
        let path = &arguments.path;
        let (place, is_unseen) = self.writable(path)?;
        let recorded = self.recorded(FileTool::Write, &place);
        let written = self.write_recorded((&place, is_unseen), arguments, &recorded);
        recorded.end(written)
    }

    fn write_recorded(
        &self,
        (place, is_unseen): (&Place<'_>, bool),
        arguments: &WriteFileArguments,
        recorded: &Recorded<'_>,
    ) -> Result<WriteResult> {
        let path = &arguments.path;
        let hidden = Hidden::write(place, &arguments.content);
        let question = self.question(place, is_unseen, hidden);
        let plan = || PlannedOperation::write(place.clone(), &arguments.content);
        let planned = question.plan(plan)?;
        let content = recorded.allowed_by(question.take(&planned)?);
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
            _ if question.is_unseen => format!("Wrote {path} ({})", lines(&content)),
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
        let (place, is_unseen) = self.writable(call.path())?;
        let recorded = self.recorded(call.tool(), &place);
        let edited = self.edit_recorded(engine, (place, is_unseen), call, &recorded);
        recorded.end(edited)
    }

    fn edit_recorded(
        &self,
        engine: &mut Engine,
        (place, is_unseen): (Place<'_>, bool),
        call: EditCall<'_>,
        recorded: &Recorded<'_>,
    ) -> Result<EditResult> {
        let hidden = Hidden::edit(&place, &call.replaced()?, call.base_oid());
        let question = self.question(&place, is_unseen, hidden);
        let planned = question.plan(|| self.plan_edit(engine, place.clone(), call))?;
        self.refuse_repeat(&planned)?;
        let content = recorded.allowed_by(question.take(&planned)?);
        let id = self.id_of(&planned);
        recorded.begin(vec![planned.changed(&content)?])?;
        let written = planned.place.write_then(&content, &planned.was, || self.record_edit(id));
        // A call with a version, or one whose payload was shown, means that version.
        let may_be_planned_again = call.base_oid().is_none() && !question.asks(&planned);
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
            truncated: false,
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
        self.caller.state.repeats.record(self.caller.connection, id, self.ticket);
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
        let most = place.sandbox().max_file_bytes;
        let cancel = CancelToken::of(&self.caller.budget);
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
        let request = self.id_of(planned);
        if !self.caller.state.repeats.is_repeat(self.caller.connection, request, self.ticket) {
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
        if matches!(call, FileCall::Read(_)) && self.caller.access.sandboxes().is_none() {
            return Ok(None);
        }
        self.payload(call, Asking { is_asked: false, holds_key })
    }

    /// Returns a payload that describes the call to a person and can be approved.
    pub fn approval(&self, call: &FileCall) -> Result<String> {
        let asking = Asking { is_asked: true, holds_key: false };
        Ok(self.payload(call, asking)?.unwrap_or_default())
    }

    fn payload(&self, call: &FileCall, asking: Asking) -> Result<Option<String>> {
        let edit = match call {
            FileCall::Read(arguments) => {
                let place = self.place(&arguments.path)?;
                let plan = || PlannedOperation::read(place.clone());
                let is_unseen = !self.caller.may_show(&place);
                let question = self.question(&place, is_unseen, Hidden::read(&place));
                return question.payload(asking, plan);
            }
            FileCall::Write(arguments) => {
                let (place, is_unseen) = self.writable(&arguments.path)?;
                let hidden = Hidden::write(&place, &arguments.content);
                let plan = || PlannedOperation::write(place.clone(), &arguments.content);
                return self.question(&place, is_unseen, hidden).payload(asking, plan);
            }
            FileCall::Patch(arguments) => return self.patch_payload(arguments, asking),
            // It changes files that the session may see.
            FileCall::Undo(arguments) => return self.undo_payload(arguments),
            FileCall::Edit(arguments) => EditCall::Strings(arguments),
            FileCall::Lines(arguments) => EditCall::Lines(arguments),
        };
        let (place, is_unseen) = self.writable(edit.path())?;
        let hidden = Hidden::edit(&place, &edit.replaced()?, edit.base_oid());
        let plan = || self.plan_edit(&mut Engine::default(), place.clone(), edit);
        self.question(&place, is_unseen, hidden).payload(asking, plan)
    }

    /// Returns the question about a call on one file.
    fn question<'a>(
        &'a self,
        place: &Place<'a>,
        is_unseen: bool,
        hidden: Hidden<'a>,
    ) -> Question<'a> {
        Question { caller: &self.caller, hidden, sandbox: &place.sandbox().name, is_unseen }
    }

    /// Plans the calls that were requested on files that must not be read unseen, for the holder of
    /// the host's key. A call that cannot be planned, such as an edit of a missing text, is left:
    /// there is nothing to decide.
    ///
    /// # Errors
    /// The reason for which the work of the thread stops.
    pub fn plan_requests(&mut self) -> Result<()> {
        let state = Arc::clone(&self.caller.state);
        for (session, request) in state.approvals.requests(self.caller.rules()) {
            self.for_session(session);
            let planned = call_of(&request)
                .and_then(|call| self.payload(&call, Asking { is_asked: false, holds_key: true }));
            if planned.is_err() {
                // The error of one call is reported when it is made; the end of the thread's work
                // ends the loop.
                check_current()?;
                self.caller.budget.check()?;
            }
        }
        Ok(())
    }

    /// Starts the record of a call.
    fn recorded(&self, tool: FileTool, place: &Place<'_>) -> Recorded<'_> {
        Recorded::new(&self.caller, tool.name(), vec![file_at(place)])
    }

    fn id_of(&self, planned: &PlannedOperation<'_>) -> Digest {
        self.caller.id(&planned.operation(&self.caller.session))
    }

    /// Returns the place of a path in a sandbox.
    fn place(&self, path: &str) -> Result<Place<'_>> {
        let sandboxes = self.caller.access.sandboxes().ok_or_else(|| {
            Error::fs_denied(format!("{} is not in a sandbox: none is configured", quoted(path)))
                .with_hint("Ask the host to configure a directory in redline_sandboxes")
        })?;
        sandboxes.resolve(path)
    }

    /// Returns the place of a path, if its sandbox permits writing, and whether the file must not
    /// be read unseen.
    fn writable(&self, path: &str) -> Result<(Place<'_>, bool)> {
        let Some(sandboxes) = self.caller.access.sandboxes() else {
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
        let is_unseen = !self.caller.may_show(&place);
        if is_unseen { place.check_rules() } else { place.check_writable() }?;
        Ok((place, is_unseen))
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
