//! `edit_files`: a patch of several files of a sandbox.

use std::borrow::Cow;

use super::blind_call::{BlindCall, joined};
use super::diff_text::git_diff;
use super::file_tools::FileTools;
use super::patch_paths::{below_sandbox, without_sides};
use super::planned::{Maker, Planned, PlannedFile, Showing, file_name};
use crate::answers::{Answers, Call};
use redline_base::budget::{Copied, Gather, Grow};
use redline_base::error::{Error, Result, quoted};
use redline_edit::patches::{self, ChangeKind, Decision, FileChange, FitOptions, Fitted, State};
use redline_edit::{ContentDiff, FileTool, Proposal, Side, check_base};
use redline_git::blob_id;
use redline_sandbox::{Expected, Sandbox, SandboxPath};
use redline_text::{CancelToken, Engine};
use redline_tools::{ApplyPatch, FileResult, PatchArguments, PatchResult};

/// A patch and the places of its files.
pub(super) struct Patching<'a> {
    tools: &'a FileTools,
    engine: &'a mut Engine,
    given: &'a PatchArguments,
    sandbox: &'a Sandbox,
    /// The files, each with the place that it moves to.
    files: Vec<(FileChange, SandboxPath<'a>, Option<SandboxPath<'a>>)>,
    /// The arguments that the result depends on.
    arguments: [Vec<u8>; 3],
}

impl<'a> Patching<'a> {
    /// Reads a patch of files of a sandbox.
    ///
    /// # Errors
    /// `invalid_args` for a text that is not a patch, `fs_denied` for files that may not be
    /// written.
    pub fn new(
        tools: &'a FileTools,
        engine: &'a mut Engine,
        given: &'a PatchArguments,
    ) -> Result<Self> {
        let sandboxes = tools.caller().context.access.sandboxes().ok_or_else(|| {
            Error::fs_denied("no file can be written: no sandbox is configured").with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            )
        })?;
        let cancel = &CancelToken::of(tools.budget());
        let mut changes = patches::read(&given.patch, cancel)?;
        let sandbox = below_sandbox(sandboxes, &given.sandbox, &mut changes)?;
        let name = &sandbox.name;
        let place = |path: &str| {
            let place = sandboxes.resolve_for_writing(&format!("{name}/{path}"))?;
            place.check_rules()?;
            Ok::<_, Error>(place)
        };
        if !sandbox.approvals.read {
            without_sides(&mut changes, place, cancel)?;
        }
        patches::check_paths(&changes, cancel)?;
        if let Some(path) =
            given.base_oids.keys().find(|path| !changes.iter().any(|change| change.path == **path))
        {
            return Err(Error::invalid_args(format!(
                "base_oids names {}, which the patch does not change",
                quoted(path)
            ))
            .with_hint("Name files by their paths below the sandbox"));
        }
        let mut files = Vec::new();
        for change in changes {
            cancel.check()?;
            let from = place(&change.path)?;
            let to = match &change.kind {
                ChangeKind::Update { moves_to: Some(path), .. } => Some(place(path)?),
                _ => None,
            };
            files.add((change, from, to));
        }
        let matching = match (given.fuzz, given.unidiff_zero) {
            (false, false) => "exact",
            (true, false) => "fuzz",
            (false, true) => "unidiff_zero",
            (true, true) => "fuzz, unidiff_zero",
        };
        let base_oids = serde_json::to_vec(&given.base_oids).unwrap_or_default();
        let arguments = [given.patch.as_bytes().copied_vec(), matching.into(), base_oids];
        Ok(Self { tools, engine, given, sandbox, files, arguments })
    }
}

/// What the answer to a patch tells beside its files.
pub(super) struct Patched {
    decision: Decision,
    results: Vec<FileResult>,
    /// The change of each file; empty if the patch is applied already.
    diffs: Vec<ContentDiff>,
}

/// A file of the patch as it is now.
struct FittedFile<'p, 'a> {
    change: &'p FileChange,
    file: PlannedFile<'a>,
    /// The place that it moves to, and what is there.
    target: Option<(SandboxPath<'a>, Expected)>,
    fitted: Fitted,
}

impl<'a> Maker<'a> for Patching<'a> {
    type Report = Patched;

    fn call(&self) -> BlindCall<'_> {
        let arguments = self.arguments.iter().map(Vec::as_slice).gather();
        let places = self.places().into_iter();
        let path = joined(places.map(|place| place.path().as_str()));
        BlindCall { path, ..BlindCall::of_files(FileTool::Patch, self.sandbox, arguments) }
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        self.files.iter().flat_map(|(_, from, to)| std::iter::once(from).chain(to)).gather()
    }

    /// Fits the patch to the current files.
    fn plan(&mut self) -> Result<Planned<'a, Patched>> {
        let cancel = CancelToken::of(self.tools.budget());
        let mut found = Vec::new();
        for (change, place, to) in &self.files {
            cancel.check()?;
            found.add(self.fitted(change, place, to.as_ref(), &cancel)?);
        }
        let fitted: Vec<&Fitted> = found.iter().map(|found| &found.fitted).gather();
        let decision = patches::decide(&fitted)?;
        let report = Patched { decision, results: Vec::new(), diffs: Vec::new() };
        let mut planned = Planned::of_files(Vec::new(), report);
        for found in found {
            let (result, file, diff) = found.planned(decision, self.engine, &cancel)?;
            planned.report.results.add(result);
            planned.report.diffs.add_all(diff);
            planned.files.add(file);
        }
        Ok(planned)
    }

    /// A patch edits, and may write and remove whole files.
    fn needs_approval(&self, planned: &Planned<'a, Patched>, _: bool) -> bool {
        let policy = self.sandbox.approvals;
        (policy.edit || policy.write) && planned.report.decision == Decision::Apply
    }

    fn proposal(
        &self,
        planned: &Planned<'a, Patched>,
        Showing { id, .. }: Showing<'_>,
    ) -> Result<Proposal> {
        let Patched { results, diffs, .. } = &planned.report;
        let each = || planned.files.iter().zip(diffs);
        let files = each().zip(results).map(|((file, diff), of)| file.shown(of.kind, diff));
        let diff = git_diff(each().map(|(file, diff)| (file.sides(), diff)));
        Ok(Proposal::patch(&self.sandbox.name, files.gather(), diff, id))
    }

    fn is_dry_run(&self) -> bool {
        self.given.dry_run
    }

    fn reason(&self) -> Option<String> {
        self.given.reason.clone()
    }

    fn takes_any_version(&self) -> bool {
        self.given.base_oids.is_empty()
    }
}

impl<'a> Patching<'a> {
    /// Fits the change of a file.
    ///
    /// # Errors
    /// Those of [`patches::fit`]; `stale` for a file with another id than given.
    fn fitted<'p>(
        &self,
        change: &'p FileChange,
        place: &SandboxPath<'a>,
        to: Option<&SandboxPath<'a>>,
        cancel: &CancelToken<'_>,
    ) -> Result<FittedFile<'p, 'a>> {
        let given = self.given;
        let max_bytes = self.sandbox.max_file_bytes;
        let options = FitOptions { fuzz: given.fuzz, unidiff_zero: given.unidiff_zero, max_bytes };
        let file = PlannedFile::kept(place.clone(), place.read_for_writing()?)?;
        let name = file_name(place);
        if let Some(wanted) = given.base_oids.get(&change.path) {
            check_base(name, wanted, file.before().map_or("none", |side| side.oid))?;
        }
        let target = to.map(|to| Ok::<_, Error>((to.clone(), to.read_for_writing()?)));
        let target = target.transpose()?;
        let there = target.as_ref().and_then(|(_, found)| found.bytes());
        let before = file.before();
        let content = before.map(|side| side.content);
        let mut fitted = patches::fit(name, change, content, there, &options, cancel)?;
        let is_wanted = before.is_none_or(|side| {
            change.executable.is_none_or(|wanted| side.is_executable() == wanted)
        });
        let is_mode_alone = matches!(&change.kind, ChangeKind::Update { hunks, moves_to: None } if hunks.is_empty());
        match fitted.state {
            State::Before if is_mode_alone && is_wanted => fitted.state = State::After,
            State::After | State::Either if to.is_none() && !is_wanted => {
                fitted.state = State::Before;
            }
            _ => {}
        }
        Ok(FittedFile { change, file, target, fitted })
    }
}

impl<'a> FittedFile<'_, 'a> {
    /// Returns the result of the file, the file, and its change if there is one.
    fn planned(
        self,
        decision: Decision,
        engine: &mut Engine,
        cancel: &CancelToken<'_>,
    ) -> Result<(FileResult, PlannedFile<'a>, Option<ContentDiff>)> {
        let Self { change, mut file, target, fitted } = self;
        let kind = match &change.kind {
            ChangeKind::Create(_) => "create",
            ChangeKind::Delete(_) => "delete",
            ChangeKind::Update { moves_to: Some(_), .. } => "move",
            ChangeKind::Update { hunks, .. } if hunks.is_empty() => "mode",
            ChangeKind::Update { .. } | ChangeKind::Edit(_) => "update",
        };
        let mut result = FileResult {
            path: change.new_path().unwrap_or(&change.path).to_owned(),
            kind,
            old_path: (kind == "move").then(|| change.path.clone()),
            lines_added: 0,
            lines_removed: 0,
            base_oid: None,
            oid: None,
            hunks: fitted.hunks.iter().map(|hunk| (hunk.line as u64, hunk.pass.name())).gather(),
        };
        let oid = |side: Side<'_>| side.oid.to_owned();
        if decision != Decision::Apply {
            result.oid = match target {
                Some((_, found)) => found.bytes().map(blob_id).transpose()?,
                None => file.before().map(oid),
            };
            result.base_oid.clone_from(&result.oid);
            return Ok((result, file, None));
        }
        file = match fitted.content {
            Some(content) => file.written(Cow::Owned(content), change.executable)?,
            None => file.removed(),
        };
        let diff = file.diff(engine, cancel)?;
        if let Some((target, _)) = target {
            file = file.moved(target);
        }
        (result.lines_added, result.lines_removed) = (diff.additions, diff.deletions);
        (result.base_oid, result.oid) = (file.before().map(oid), file.after().map(oid));
        Ok((result, file, Some(diff)))
    }
}

impl FileTools {
    /// Changes files of a sandbox, all or none.
    ///
    /// # Errors
    /// Those of the patch, of approvals, the journal and the writer.
    pub fn patch(&self, engine: &mut Engine, arguments: &PatchArguments) -> Result<PatchResult> {
        let made = self.change(&mut Patching::new(self, engine, arguments)?)?;
        let (outcome, is_shown) = (made.outcome(), made.is_shown);
        let files = made.planned.report.results;
        let message = message(outcome, &files);
        let files = files.into_iter().map(|file| if is_shown { file } else { file.of_counts() });
        Ok(PatchResult { id: made.id, outcome, files: files.gather(), message })
    }
}

fn message(outcome: &str, files: &[FileResult]) -> String {
    let shown = match files {
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

impl Answers for ApplyPatch {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        FileTools::new(call.caller).patch(&mut Engine::default(), &arguments.into())
    }
}
