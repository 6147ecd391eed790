//! `edit_file` and `edit_lines`: passages of a file.

use std::borrow::Cow;

use super::blind_call::BlindCall;
use super::file_tools::FileTools;
use super::planned::{Maker, Planned, PlannedFile, Showing, file_name};
use crate::answers::{Answers, Call};
use redline_base::budget::owned;
use redline_base::error::{Error, Result, quoted};
use redline_edit::{Edit, Plan, Proposal, Side, check_base};
use redline_git::blob_id;
use redline_sandbox::{Expected, SandboxPath};
use redline_text::{CancelToken, Engine};
use redline_tools::{EditCall, EditFile, EditResult, Replaced};

/// A call that replaces passages of a file.
pub(super) struct Editing<'a> {
    tools: &'a FileTools,
    place: SandboxPath<'a>,
    call: EditCall<'a>,
    replaced: Replaced<'a>,
    engine: &'a mut Engine,
}

impl<'a> Editing<'a> {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// Those of the arguments and of the path.
    pub fn new(tools: &'a FileTools, engine: &'a mut Engine, call: EditCall<'a>) -> Result<Self> {
        let (place, replaced) = (tools.writable(call.path())?, call.replaced()?);
        Ok(Self { tools, place, call, replaced, engine })
    }

    fn plan_on(&mut self, found: Expected) -> Result<Planned<'a, Plan>> {
        let Self { tools, place, call, replaced, engine } = self;
        let Some(bytes) = found.bytes() else {
            let creates = match replaced {
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
        let file = file_name(place);
        if let Some(given) = call.base_oid() {
            check_base(file, given, &blob_id(bytes)?)?;
        }
        let most = place.sandbox().max_file_bytes;
        let cancel = CancelToken::of(tools.budget());
        let mut plan = match replaced {
            Replaced::Strings(edits) => Plan::new(engine, file, bytes, edits, most, &cancel),
            Replaced::Lines(edit) => {
                Plan::of_lines(engine, file, bytes, (*edit).into(), most, &cancel)
            }
        }?;
        let content = Cow::Owned(std::mem::take(&mut plan.content));
        let file = PlannedFile::kept(place.clone(), found)?.written(content, None)?;
        Ok(Planned::of_files(vec![file], plan))
    }
}

impl<'a> Maker<'a> for Editing<'a> {
    type Report = Plan;

    fn call(&self) -> BlindCall<'_> {
        let call = BlindCall::new(self.call.tool(), &self.place, self.replaced.arguments());
        BlindCall { base_oid: self.call.base_oid(), ..call }
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        vec![&self.place]
    }

    fn plan(&mut self) -> Result<Planned<'a, Plan>> {
        let found = self.place.read_for_writing()?;
        self.plan_on(found)
    }

    fn plan_of(&mut self, found: &Expected) -> Option<Result<Planned<'a, Plan>>> {
        Some(self.plan_on(found.clone()))
    }

    fn needs_approval(&self, _: &Planned<'a, Plan>, _: bool) -> bool {
        self.place.sandbox().approvals.edit
    }

    fn proposal(
        &self,
        planned: &Planned<'a, Plan>,
        Showing { id, .. }: Showing<'_>,
    ) -> Result<Proposal> {
        let (file, plan) = (&planned.files[0], &planned.report);
        let edits: &[Edit<'_>] = match &self.replaced {
            Replaced::Strings(edits) => edits,
            Replaced::Lines(_) => &[],
        };
        let nothing = Side { content: b"", mode: 0, oid: "" };
        let sides = [file.before(), file.after()].map(|side| side.unwrap_or(nothing));
        Proposal::edit(file.name(), sides, edits, plan, id)
    }

    fn takes_any_version(&self) -> bool {
        self.call.base_oid().is_none()
    }

    fn is_refused_twice(&self) -> bool {
        true
    }
}

impl FileTools {
    /// Replaces passages of a file.
    ///
    /// # Errors
    /// Those of the arguments and the path, of approvals, the journal and the writer.
    pub fn edit(&self, engine: &mut Engine, call: EditCall<'_>) -> Result<EditResult> {
        let made = self.change(&mut Editing::new(self, engine, call)?)?;
        let (file, plan) = (&made.planned.files[0], &made.planned.report);
        let (replacements_made, lines_changed) = (plan.replacements_made(), plan.lines_changed());
        let path = call.path().to_owned();
        // A caller who may not read the file is told what it did, and nothing that was there.
        if !made.is_shown {
            return Ok(EditResult {
                message: plan.message_of_counts(file.name()),
                path,
                replacements_made,
                lines_changed,
                ..EditResult::default()
            });
        }
        let oid =
            |side: Option<Side<'_>>| side.map_or_else(String::new, |side| side.oid.to_owned());
        Ok(EditResult {
            path,
            replacements_made,
            lines_changed,
            message: plan.message(file.name()),
            unified_diff: owned(&plan.diff.unified_diff)?,
            base_oid: oid(file.before()),
            oid: oid(file.after()),
            truncated: false,
        })
    }
}

impl Answers for EditFile {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let tools = FileTools::new(call.caller);
        tools.edit(&mut Engine::default(), EditCall::Strings(&arguments))?.within(&call.reply)
    }
}
