//! Changes several files at once: plans a patch, has it approved as a whole, and applies all of it
//! or nothing.

use std::ops::ControlFlow::{Break, Continue};

use super::file_tools::FileTools;
use super::hidden_call::Hidden;
use super::planned_patch::{AskedPatch, PlannedPatch};
use super::question::Question;
use crate::edit::patches::Decision;
use crate::edit::{FileTool, Operation, Taken, payload};
use crate::error::{Error, ErrorKind, Result};
use crate::functions::context::journal::{Recorded, file_at};
use crate::limits;
use crate::sandbox;
use crate::text::{CancelToken, Engine};
use crate::tools::{FileResult, PatchArguments, PatchResult};

impl FileTools {
    /// Changes files of a sandbox, all or none.
    pub fn patch(&self, engine: &mut Engine, arguments: &PatchArguments) -> Result<PatchResult> {
        let asked = self.asked_patch(arguments)?;
        let files = asked.places().map(file_at).collect();
        let recorded = Recorded::new(self.execution(), FileTool::Patch.name(), files);
        recorded.because(arguments.reason.clone());
        let made = self.patch_recorded(engine, arguments, &asked, &recorded);
        if arguments.dry_run { made } else { recorded.end(made) }
    }

    fn patch_recorded(
        &self,
        engine: &mut Engine,
        arguments: &PatchArguments,
        asked: &AskedPatch<'_>,
        recorded: &Recorded<'_>,
    ) -> Result<PatchResult> {
        let budget = self.budget();
        let cancel = CancelToken::of(budget);
        let may_show = asked.places().all(|place| self.may_show(place));
        for tries in 1.. {
            let planned = if may_show {
                asked.plan(engine, arguments, &cancel)?
            } else {
                let plan = || asked.plan(engine, arguments, &cancel);
                self.plan_unseen(&hidden(asked), plan)?
            };
            let is_made = planned.decision == Decision::AlreadyApplied;
            let result = |id, outcome| PatchResult {
                id,
                outcome,
                files: planned.results(),
                message: message(outcome, &planned),
            };
            if arguments.dry_run {
                return Ok(result(None, if is_made { "already_applied" } else { "would_apply" }));
            }
            let asks = self.asks_patch(asked, &planned);
            if asks {
                recorded.allowed_by(self.take_patch(asked, &planned, may_show)?.given.as_ref());
            }
            if is_made {
                return Ok(result(None, "already_applied"));
            }
            recorded.begin(planned.recorded()?)?;
            match sandbox::apply(&planned.changes(), || ()) {
                // Another writer was faster; the patch may still apply to its result. A call with
                // versions, or one whose payload was shown, means those versions.
                Err(error)
                    if error.kind() == ErrorKind::Stale
                        && tries < limits::PATCH_TRIES
                        && !asks
                        && arguments.base_oids.is_empty() =>
                {
                    budget.check()?;
                }
                made => return made.map(|()| result(Some(recorded.id()), "applied")),
            }
        }
        unreachable!("the last try returns")
    }

    /// Returns the payload of a patch, as for other calls.
    pub(super) fn patch_payload(
        &self,
        arguments: &PatchArguments,
        holds_key: bool,
        is_asked: bool,
    ) -> Result<Option<String>> {
        let asked = self.asked_patch(arguments)?;
        let approvals = &self.execution().database.approvals;
        let question = Question {
            hidden: hidden(&asked),
            sandbox: asked.sandbox.name(),
            is_unseen: !asked.places().all(|place| self.may_show(place)),
            is_asked,
            holds_key,
            rules: self.rules_of(holds_key),
        };
        let id = match self.ask(&question)? {
            Break(answer) => return Ok(answer),
            Continue(id) => id,
        };
        let cancel = CancelToken::of(self.budget());
        let planned = asked.plan(&mut Engine::default(), arguments, &cancel)?;
        let states = [planned.state(false), planned.state(true)];
        let request = question.hidden.operation(&self.execution().session);
        let operation = Operation { base: Some(&states[0]), result: Some(&states[1]), ..request };
        let is_free =
            !self.asks_patch(&asked, &planned) || approvals.allows(&operation, question.rules);
        if !is_asked && is_free {
            return Ok(None);
        }
        self.record(&question, &operation, planned.proposal(asked.sandbox, id)).map(Some)
    }

    fn asked_patch(&self, arguments: &PatchArguments) -> Result<AskedPatch<'_>> {
        let sandboxes = self.execution().access.sandboxes().ok_or_else(|| {
            Error::fs_denied("no file can be written: no sandbox is configured").with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            )
        })?;
        AskedPatch::new(sandboxes, arguments, &CancelToken::of(self.budget()))
    }

    /// Tells whether a person must approve a patch: it edits, and may write and remove whole files.
    fn asks_patch(&self, asked: &AskedPatch<'_>, planned: &PlannedPatch<'_>) -> bool {
        if !asked.places().all(|place| self.may_show(place)) {
            return true;
        }
        let policy = asked.sandbox.approvals();
        (policy.edit || policy.write) && planned.decision == Decision::Apply
    }

    fn take_patch(
        &self,
        asked: &AskedPatch<'_>,
        planned: &PlannedPatch<'_>,
        may_show: bool,
    ) -> Result<Taken> {
        let states = [planned.state(false), planned.state(true)];
        let hidden = hidden(asked);
        let request = hidden.operation(&self.execution().session);
        let operation = Operation { base: Some(&states[0]), result: Some(&states[1]), ..request };
        let id = operation.id(self.execution().database.approvals.secret());
        let proposal = may_show.then(|| planned.proposal(asked.sandbox, id));
        let outline = proposal.as_ref().map_or_else(
            || payload::outline(FileTool::Patch, asked.sandbox.name()),
            |proposal| proposal.payload.description().to_owned(),
        );
        let approvals = &self.execution().database.approvals;
        let taken = approvals.take(&operation, proposal, &outline, self.rules());
        taken.map_err(|error| self.execution().unapproved(&outline, error))
    }
}

/// Returns the part of the call that does not depend on the files.
fn hidden<'a>(asked: &'a AskedPatch<'_>) -> Hidden<'a> {
    Hidden {
        tool: FileTool::Patch,
        sandbox: asked.sandbox.identity(),
        path: String::from_utf8_lossy(asked.paths()).into_owned(),
        shown: asked.sandbox.name().to_owned(),
        arguments: asked.arguments().to_vec(),
        base_oid: None,
    }
}

fn message(outcome: &str, planned: &PlannedPatch<'_>) -> String {
    let files = planned.results();
    let shown = match files.as_slice() {
        [one] => one.path.clone(),
        files => format!("{} files", files.len()),
    };
    let sum = |of: fn(&FileResult) -> u64| files.iter().map(of).sum::<u64>();
    let (added, removed) = (sum(|file| file.lines_added), sum(|file| file.lines_removed));
    match outcome {
        "already_applied" => {
            format!("The patch of {shown} is applied already; nothing was written")
        }
        "would_apply" => format!("The patch of {shown} would apply: +{added} −{removed}"),
        _ => format!("Patched {shown}: +{added} −{removed}"),
    }
}
