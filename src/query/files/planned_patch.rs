//! The plan of a patch for the current files of a sandbox.

use std::cell::OnceCell;

use super::hidden_call::Hidden;
use super::patch_paths::{below_sandbox, without_sides};
use super::planned_operation::file_name;
use super::question::Planned;
use super::recorded::{Changed, is_executable, side_of};
use redline_base::error::{Error, Result, quoted};
use redline_edit::patches::{self, ChangeKind, Decision, FileChange, FitOptions, Fitted, State};
use redline_edit::payload::PatchedFile;
use redline_edit::{ContentDiff, Digest, FileTool, Operation, Proposal, Session, check_base};
use redline_git::blob_id;
use redline_journal as journal;
use redline_sandbox::{After, Change, Expected, Place, Sandbox, Sandboxes};
use redline_text::{CancelToken, Engine, is_binary};
use redline_tools::{FileResult, PatchArguments};

/// A patch and the places of its files: everything known before a file is opened.
pub struct AskedPatch<'a> {
    /// The sandbox.
    pub sandbox: &'a Sandbox,
    /// The files, each with the place that it moves to.
    files: Vec<(FileChange, Place<'a>, Option<Place<'a>>)>,
    /// The arguments that the result depends on.
    arguments: [Vec<u8>; 3],
    /// The paths of all files.
    paths: String,
}

impl<'a> AskedPatch<'a> {
    /// Reads a patch of files of a sandbox.
    ///
    /// # Errors
    /// `invalid_args` for a text that is not a patch, `fs_denied` for files that may not be
    /// written.
    pub fn new(
        sandboxes: &'a Sandboxes,
        arguments: &PatchArguments,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let mut changes = patches::read(&arguments.patch, cancel)?;
        let sandbox = below_sandbox(sandboxes, &arguments.sandbox, &mut changes)?;
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
        if let Some(path) = arguments
            .base_oids
            .keys()
            .find(|path| !changes.iter().any(|change| change.path == **path))
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
            files.push((change, from, to));
        }
        let matching = match (arguments.fuzz, arguments.unidiff_zero) {
            (false, false) => "exact",
            (true, false) => "fuzz",
            (false, true) => "unidiff_zero",
            (true, true) => "fuzz, unidiff_zero",
        };
        let base_oids = serde_json::to_vec(&arguments.base_oids).unwrap_or_default();
        let arguments = [arguments.patch.clone().into_bytes(), matching.into(), base_oids];
        let mut asked = Self { sandbox, files, arguments, paths: String::new() };
        let mut paths: Vec<&str> = asked.places().map(|place| place.path().as_str()).collect();
        paths.sort_unstable();
        asked.paths = paths.join("\0");
        Ok(asked)
    }

    /// Returns the places of all files.
    pub fn places(&self) -> impl Iterator<Item = &Place<'a>> {
        self.files.iter().flat_map(|(_, from, to)| std::iter::once(from).chain(to))
    }

    /// Returns the part of the call that does not depend on the files.
    pub fn hidden(&self) -> Hidden<'_> {
        Hidden {
            tool: FileTool::Patch,
            sandbox: &self.sandbox.identity,
            path: self.paths.clone(),
            shown: self.sandbox.name.clone(),
            arguments: self.arguments.iter().map(Vec::as_slice).collect(),
            base_oid: None,
        }
    }

    /// Fits the patch to the current files.
    ///
    /// # Errors
    /// Those of [`patches::fit`] and [`patches::decide`]; `stale` for a file with another id than
    /// given.
    pub fn plan(
        &self,
        engine: &mut Engine,
        given: &PatchArguments,
        cancel: &CancelToken<'_>,
    ) -> Result<PlannedPatch<'_, 'a>> {
        let max_bytes = self.sandbox.max_file_bytes;
        let options = FitOptions { fuzz: given.fuzz, unidiff_zero: given.unidiff_zero, max_bytes };
        let mut files = Vec::new();
        let mut fitted = Vec::new();
        for (change, place, to) in &self.files {
            cancel.check()?;
            let before = place.read_for_writing()?;
            let file = file_name(place);
            let base_oid = before.bytes().map(blob_id).transpose()?;
            if let Some(wanted) = given.base_oids.get(&change.path) {
                check_base(file, wanted, base_oid.as_deref().unwrap_or("none"))?;
            }
            let target = to.as_ref().map(|to| Ok::<_, Error>((to.clone(), to.read_for_writing()?)));
            let target = target.transpose()?;
            let there = target.as_ref().and_then(|(_, found)| found.bytes());
            let mut fit = patches::fit(file, change, before.bytes(), there, &options, cancel)?;
            let is_wanted = before.mode().is_none()
                || change.executable.is_none_or(|wanted| is_executable(&before) == wanted);
            let is_mode_alone = matches!(&change.kind, ChangeKind::Update { hunks, moves_to: None } if hunks.is_empty());
            match fit.state {
                State::Before if is_mode_alone && is_wanted => {
                    fit.state = State::After;
                }
                State::After | State::Either if to.is_none() && !is_wanted => {
                    fit.state = State::Before;
                }
                _ => {}
            }
            fitted.push(fit);
            files.push(Found { change, place, before, base_oid, target });
        }
        let decision = patches::decide(&fitted)?;
        let files = files
            .into_iter()
            .zip(fitted)
            .map(|(found, fitted)| PlannedFile::new(engine, found, fitted, decision, cancel));
        let files = files.collect::<Result<Vec<_>>>()?;
        Ok(PlannedPatch {
            decision,
            files,
            asked: self.hidden(),
            sandbox: self.sandbox,
            states: OnceCell::new(),
        })
    }
}

/// A patch that fits, and its effect.
pub struct PlannedPatch<'p, 'a> {
    /// Whether there is anything to do.
    pub decision: Decision,
    files: Vec<PlannedFile<'a>>,
    asked: Hidden<'p>,
    sandbox: &'a Sandbox,
    /// The files before and after, as an approval is for them.
    states: OnceCell<[Vec<u8>; 2]>,
}

/// A file of the patch as it is now.
struct Found<'p, 'a> {
    change: &'p FileChange,
    place: &'p Place<'a>,
    before: Expected,
    base_oid: Option<String>,
    /// The place that it moves to, and what is there.
    target: Option<(Place<'a>, Expected)>,
}

struct PlannedFile<'a> {
    place: Place<'a>,
    before: Expected,
    target: Option<Place<'a>>,
    executable: Option<bool>,
    /// Its new content.
    content: Option<Vec<u8>>,
    result: FileResult,
    /// Its part of the git diff.
    diff: String,
}

impl<'a> PlannedFile<'a> {
    fn new(
        engine: &mut Engine,
        found: Found<'_, 'a>,
        fitted: Fitted,
        decision: Decision,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let Found { change, place, before, base_oid, target } = found;
        let hunks = fitted.hunks.iter().map(|hunk| (hunk.line as u64, hunk.pass.name())).collect();
        let kind = match &change.kind {
            ChangeKind::Create(_) => "create",
            ChangeKind::Delete(_) => "delete",
            ChangeKind::Update { moves_to: Some(_), .. } => "move",
            ChangeKind::Update { hunks, .. } if hunks.is_empty() => "mode",
            ChangeKind::Update { .. } | ChangeKind::Edit(_) => "update",
        };
        let path = change.new_path().unwrap_or(&change.path).to_owned();
        let old_path = (kind == "move").then(|| change.path.clone());
        let mut result = FileResult {
            path,
            kind,
            old_path,
            lines_added: 0,
            lines_removed: 0,
            base_oid,
            oid: None,
            hunks,
        };
        let mut diff = String::new();
        if decision == Decision::Apply {
            let old = before.bytes().unwrap_or_default();
            let new = fitted.content.as_deref().unwrap_or_default();
            let of = ContentDiff::new(engine, file_name(place), old, new, cancel)?;
            (result.lines_added, result.lines_removed) = (of.additions, of.deletions);
            result.oid = fitted.content.as_deref().map(blob_id).transpose()?;
            diff = git_diff(change, &before, &of, result.base_oid.as_deref().unwrap_or_default());
        } else {
            let found = target.as_ref().map_or(&before, |(_, found)| found);
            result.oid = found.bytes().map(blob_id).transpose()?;
            result.base_oid.clone_from(&result.oid);
        }
        let (place, target) = (place.clone(), target.map(|(target, _)| target));
        let executable = change.executable;
        Ok(Self { place, before, target, executable, content: fitted.content, result, diff })
    }

    fn is_executable(&self) -> bool {
        let was = is_executable(&self.before);
        self.content.is_some() && self.executable.unwrap_or(was)
    }

    fn changes(&self) -> Vec<Change<'a>> {
        let (place, before) = (self.place.clone(), self.before.clone());
        let after = |moved_from| {
            let bytes = self.content.clone()?;
            Some(After { bytes, executable: self.executable, moved_from })
        };
        match &self.target {
            None => vec![Change { place, before, after: after(None) }],
            Some(target) => {
                let moved_from = Some((place.clone(), before.clone()));
                let to = Change {
                    place: target.clone(),
                    before: Expected::Absent,
                    after: after(moved_from),
                };
                vec![Change { place, before, after: None }, to]
            }
        }
    }

    /// Returns the record of the file; a moved file is recorded under its new path.
    fn recorded(&self) -> Result<Changed<'_>> {
        let result = self.content.as_deref().map(|bytes| (bytes, self.is_executable()));
        let place = self.target.as_ref().unwrap_or(&self.place);
        let mut changed = Changed::new(place, [side_of(&self.before), result])?;
        if self.target.is_some() {
            changed.file.kind = Some(journal::ChangeKind::Move);
            changed.file.old_path = Some(self.place.path().as_str().to_owned());
        }
        Ok(changed)
    }

    fn shown(&self) -> PatchedFile {
        let FileResult { path, kind, old_path, lines_added, lines_removed, base_oid, .. } =
            self.result.clone();
        PatchedFile {
            path,
            old_path,
            kind: kind.to_owned(),
            lines_added,
            lines_removed,
            base_oid,
            mode: self.before.mode().map(|mode| format!("{mode:o}")),
            executable: self.is_executable(),
        }
    }
}

impl<'a> PlannedPatch<'_, 'a> {
    /// Returns the changes to write.
    pub fn changes(&self) -> Vec<Change<'a>> {
        self.files.iter().flat_map(PlannedFile::changes).collect()
    }

    /// Returns the records of the files.
    ///
    /// # Errors
    /// Those of the id of a content.
    pub fn recorded(&self) -> Result<Vec<Changed<'_>>> {
        self.files.iter().map(PlannedFile::recorded).collect()
    }

    /// Returns the result for each file.
    pub fn results(&self) -> Vec<FileResult> {
        self.files.iter().map(|file| file.result.clone()).collect()
    }

    /// Returns all bytes of all files before, or after, as an approval covers exactly these.
    fn state(&self, is_after: bool) -> Vec<u8> {
        let mut state = Vec::new();
        let mut push = |part: Option<&[u8]>| {
            state.push(u8::from(part.is_some()));
            let part = part.unwrap_or_default();
            state.extend((part.len() as u64).to_be_bytes());
            state.extend(part);
        };
        for file in &self.files {
            push(Some(file.place.path().as_str().as_bytes()));
            if is_after {
                push(file.target.as_ref().map(|target| target.path().as_str().as_bytes()));
                push(file.content.as_deref());
                push(Some(&[u8::from(file.is_executable())]));
            } else {
                push(file.before.bytes());
                push(file.before.mode().map(u32::to_be_bytes).as_ref().map(|mode| &mode[..]));
            }
        }
        state
    }
}

impl Planned for PlannedPatch<'_, '_> {
    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        let [base, result] = self.states.get_or_init(|| [self.state(false), self.state(true)]);
        let request = self.asked.operation(session);
        Operation { base: Some(base), result: Some(result), ..request }
    }

    /// A patch edits, and may write and remove whole files.
    fn is_asked_about(&self, _may_read: bool) -> bool {
        let policy = self.sandbox.approvals;
        (policy.edit || policy.write) && self.decision == Decision::Apply
    }

    fn proposal(&self, id: Digest, _: bool, _: &CancelToken<'_>) -> Result<Proposal> {
        let files = self.files.iter().map(PlannedFile::shown).collect();
        let diff = self.files.iter().map(|file| file.diff.as_str()).collect();
        Ok(Proposal::patch(&self.sandbox.name, files, diff, id))
    }
}

/// Returns a file's part of a git diff.
fn git_diff(change: &FileChange, before: &Expected, diff: &ContentDiff, oid: &str) -> String {
    let (old, new) = (&change.path, change.new_path().unwrap_or(&change.path));
    let mut text = format!("diff --git a/{old} b/{new}\n");
    let mode = |executable: bool| if executable { "100755" } else { "100644" };
    let was = is_executable(before);
    match &change.kind {
        ChangeKind::Create(_) => {
            text += &format!("new file mode {}\n", mode(change.executable == Some(true)));
        }
        ChangeKind::Delete(_) => text += &format!("deleted file mode {}\n", mode(was)),
        _ => {
            if let Some(wanted) = change.executable.filter(|wanted| *wanted != was) {
                text += &format!("old mode {}\nnew mode {}\n", mode(was), mode(wanted));
            }
        }
    }
    if new != old {
        text += &format!("rename from {old}\nrename to {new}\n");
    }
    if before.bytes().is_some_and(is_binary) {
        return text + &format!("Binary file with the git blob id {oid}\n");
    }
    let Some(hunks) = diff.unified_diff.splitn(3, '\n').nth(2) else { return text };
    let of = |side: &str, path: &str, is_there: bool| {
        if is_there { format!("{side}/{path}") } else { "/dev/null".to_owned() }
    };
    let old = of("a", old, before.bytes().is_some());
    let new = of("b", new, change.new_path().is_some());
    text += &format!("--- {old}\n+++ {new}\n{hunks}");
    text
}
