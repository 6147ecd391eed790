//! Changes several files at once: plans a patch, has it approved as a whole, and applies all of it
//! or nothing.

use super::file_tools::FileTools;
use super::planned_patch::{AskedPatch, PlannedPatch};
use super::question::{Asking, Question};
use super::recorded::{Recorded, file_at};
use redline_base::error::{Error, ErrorKind, Result};
use redline_base::limits;
use redline_edit::FileTool;
use redline_edit::patches::Decision;
use redline_sandbox as sandbox;
use redline_text::{CancelToken, Engine};
use redline_tools::{FileResult, PatchArguments, PatchResult};

impl FileTools {
    /// Changes files of a sandbox, all or none.
    pub fn patch(&self, engine: &mut Engine, arguments: &PatchArguments) -> Result<PatchResult> {
        let asked = self.asked_patch(arguments)?;
        let files = asked.places().map(file_at).collect();
        let recorded = Recorded::new(self.caller(), FileTool::Patch.name(), files);
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
        let question = self.patch_question(asked);
        for tries in 1.. {
            let planned = question.plan(|| asked.plan(engine, arguments, &cancel))?;
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
            let asks = question.asks(&planned);
            if asks {
                recorded.allowed_by(question.take(&planned)?);
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
        asking: Asking,
    ) -> Result<Option<String>> {
        let asked = self.asked_patch(arguments)?;
        let cancel = CancelToken::of(self.budget());
        let plan = || asked.plan(&mut Engine::default(), arguments, &cancel);
        self.patch_question(&asked).payload(asking, plan)
    }

    fn patch_question<'a>(&'a self, asked: &'a AskedPatch<'_>) -> Question<'a> {
        Question {
            caller: self.caller(),
            hidden: asked.hidden(),
            sandbox: &asked.sandbox.name,
            is_unseen: !asked.places().all(|place| self.caller().may_show(place)),
        }
    }

    fn asked_patch(&self, arguments: &PatchArguments) -> Result<AskedPatch<'_>> {
        let sandboxes = self.caller().access.sandboxes().ok_or_else(|| {
            Error::fs_denied("no file can be written: no sandbox is configured").with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            )
        })?;
        AskedPatch::new(sandboxes, arguments, &CancelToken::of(self.budget()))
    }
}

fn message(outcome: &str, planned: &PlannedPatch<'_, '_>) -> String {
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
