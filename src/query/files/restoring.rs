//! `git_restore`: files of the work tree as they are at a revision, as one change set.

use std::borrow::Cow;

use super::blind_call::{BlindCall, joined};
use super::committing::What;
use super::diff_text::git_diff;
use super::file_tools::FileTools;
use super::planned::{Maker, Planned, PlannedFile, Showing};
use super::planned_git::utf8;
use super::selected_hunks::selected;
use super::undo::{named_or_counted, undone};
use redline_base::budget::{Copied, Gather, Grow};
use redline_base::error::{Error, Result, quoted};
use redline_edit::{ContentDiff, FileTool, Proposal, is_executable};
use redline_git::{
    Bytes, Comparison, Entry, GitPlan, Mode, Pathspec, ReadLimit, Repository, SideFiles,
    changed_files,
};
use redline_sandbox::{Sandbox, SandboxPath};
use redline_text::patch::{self, PatchError, PatchStatus};
use redline_text::{CancelToken, Engine};
use redline_tools::{ChangedFiles, UndoneFile};

/// The arguments of `git_restore`.
#[derive(Debug, Clone)]
pub struct RestoreArguments {
    /// The repository.
    pub repo: String,
    /// The files, as pathspecs, and ids of hunks of the revision against the work tree.
    pub parts: Vec<String>,
    /// The revision, or `INDEX`.
    pub rev: String,
    /// Whether nothing is written.
    pub dry_run: bool,
}

/// What a file becomes.
enum To {
    /// Its content at the revision, and whether it is executable; `None` where it has none.
    Whole(Option<(Bytes, bool)>),
    /// It, without the hunks of this patch of one file, which is reversed.
    Hunks(Vec<u8>),
}

/// A call that restores files.
pub(super) struct Restoring<'a> {
    tools: &'a FileTools,
    given: &'a RestoreArguments,
    sandbox: &'a Sandbox,
    wanted: Vec<(SandboxPath<'a>, To)>,
    arguments: Vec<Vec<u8>>,
}

impl<'a> Restoring<'a> {
    /// Finds the files that differ from the revision.
    ///
    /// # Errors
    /// `not_found` if the paths name no file, `stale` for an id of no hunk, `fs_denied` for a file
    /// that may not be written, `invalid_args` for a link or a submodule.
    pub fn new(tools: &'a FileTools, given: &'a RestoreArguments) -> Result<Self> {
        let caller = tools.caller();
        let sandboxes = caller.context.access.sandboxes().ok_or_else(|| {
            Error::fs_denied("no file can be written: no sandbox is configured").with_hint(
                "Ask the host to configure a directory with mode 'rw' in redline_sandboxes",
            )
        })?;
        let What { paths, hunks, .. } = &What::of_parts(&given.parts)?;
        let (work_tree, found) = caller.context.read(|| {
            let repository = caller.context.repository(&given.repo)?;
            let [_, _, work_tree] = GitPlan::directories(&repository)?;
            let mut specs = Pathspec::parse_all(paths)?;
            let mut found = Vec::new();
            if !hunks.is_empty() {
                let (patch, files) = selected(&repository, hunks, &[[&given.rev, "WORKTREE"]])?;
                found = reversed(&patch, repository.cancel())?;
                for file in &files {
                    specs.add(Pathspec::of_file(file)?);
                }
            }
            if !specs.is_empty() {
                found.add_all(whole_files(&repository, &given.rev, &specs)?);
            }
            Ok((work_tree.to_path_buf(), found))
        })?;
        let mut wanted = Vec::new();
        for (path, to) in found {
            wanted.add((sandboxes.place_to_write(&work_tree, &path)?, to));
        }
        let Some((first, _)) = wanted.first() else {
            return Err(Error::not_found(format!(
                "no file that the paths name differs from {}",
                quoted(&given.rev)
            ))
            .with_hint("file_changes(rev, 'WORKTREE', repo) lists those that do"));
        };
        let sandbox = first.sandbox();
        if wanted.iter().any(|(place, _)| !std::ptr::eq(place.sandbox(), sandbox)) {
            return Err(Error::fs_denied("the files are in several sandboxes")
                .with_hint("Restore those of one sandbox at a time"));
        }
        let mut arguments = vec![given.repo.clone().into_bytes(), given.rev.clone().into_bytes()];
        arguments.add_all(given.parts.iter().map(|part| part.clone().into_bytes()));
        Ok(Self { tools, given, sandbox, wanted, arguments })
    }
}

/// Returns the files that differ from a revision, with their contents there.
fn whole_files(
    repository: &Repository,
    rev: &str,
    specs: &[Pathspec],
) -> Result<Vec<(String, To)>> {
    let comparison = Comparison::of(repository, rev, Some("WORKTREE"), false, None)?;
    let comparison = comparison.with_paths(specs)?;
    let mut side = SideFiles::open(repository, rev)?;
    let mut found = Vec::new();
    for change in changed_files(&comparison, None)? {
        let change = change?;
        let path = utf8(&change.path, "restores")?;
        let is_file = |entry: &Entry| entry.mode.is_regular();
        if ![&change.old, &change.new].into_iter().flatten().all(is_file) {
            return Err(Error::invalid_args(format!(
                "{} is a link or a submodule, there or at {}",
                quoted(path),
                quoted(rev)
            ))
            .with_hint("Name other paths; a person restores it with git"));
        }
        let content = match change.old {
            None => None,
            Some(entry) => {
                let bytes = side.read(&change.path, entry, ReadLimit::OBJECT)?;
                Some((bytes, entry.mode == Mode::regular(true)))
            }
        };
        found.add((path.to_owned(), To::Whole(content)));
    }
    Ok(found)
}

/// Returns the files of a patch, each with the patch that takes it back.
fn reversed(patch: &[u8], cancel: CancelToken<'_>) -> Result<Vec<(String, To)>> {
    let unfit = |error: PatchError| {
        Error::stale(format!("the hunks cannot be taken back: {error}"))
            .with_hint("Restore the whole file by its path")
    };
    let mut found = Vec::new();
    let starts = file_starts(patch);
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(patch.len());
        let part = patch::reverse_within(&patch[*start..end], cancel).map_err(unfit)?;
        let path = match &patch::parse_within(&part, cancel).map_err(unfit)?.files[..] {
            [file] => {
                let path = file.new_path.as_deref().or(file.old_path.as_deref());
                utf8(path.unwrap_or_default(), "restores")?.to_owned()
            }
            _ => return Err(Error::tool_failed("a patch of one file has not one file")),
        };
        found.add((path, To::Hunks(part)));
    }
    Ok(found)
}

/// Returns where the files of a git diff begin: a line of a hunk begins with a mark.
fn file_starts(patch: &[u8]) -> Vec<usize> {
    const HEAD: &[u8] = b"diff --git ";
    let is_start =
        |at: &usize| patch[*at..].starts_with(HEAD) && (*at == 0 || patch[at - 1] == b'\n');
    (0..patch.len()).filter(is_start).gather()
}

/// Returns a file as it is to be.
fn planned<'a>(
    place: &SandboxPath<'a>,
    to: &To,
    cancel: CancelToken<'_>,
) -> Result<PlannedFile<'a>> {
    let file = PlannedFile::kept(place.clone(), place.read_for_writing()?)?;
    let part = match to {
        To::Whole(None) => return Ok(file.removed()),
        To::Whole(Some((bytes, executable))) => {
            return file.written(Cow::Owned(bytes.copied_vec()), Some(*executable));
        }
        To::Hunks(part) => part,
    };
    let unfit = |why: String| {
        Error::stale(format!("the hunks do not fit {place} any more: {why}"))
            .with_hint("Ask for the hunks again, or restore the whole file by its path")
    };
    let read = patch::parse_within(part, cancel).map_err(|error| unfit(error.to_string()))?;
    let Some(hunks) = read.files.first() else { return Ok(file) };
    let content = file.before().map_or(&b""[..], |side| side.content);
    let made = patch::apply_within(content, hunks, cancel);
    let made = made.map_err(|error| unfit(error.to_string()))?;
    match hunks.status {
        PatchStatus::Deleted => Ok(file.removed()),
        _ => {
            let executable = hunks.new_mode.map(is_executable);
            file.written(Cow::Owned(made), executable)
        }
    }
}

impl<'a> Maker<'a> for Restoring<'a> {
    type Report = Vec<ContentDiff>;

    fn call(&self) -> BlindCall<'_> {
        let arguments = self.arguments.iter().map(Vec::as_slice).gather();
        let path = joined(self.wanted.iter().map(|(place, _)| place.path().as_str()));
        BlindCall { path, ..BlindCall::of_files(FileTool::Restore, self.sandbox, arguments) }
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        self.wanted.iter().map(|(place, _)| place).gather()
    }

    fn plan(&mut self) -> Result<Planned<'a, Vec<ContentDiff>>> {
        let (engine, cancel) = (&mut Engine::default(), CancelToken::of(self.tools.budget()));
        let (mut files, mut diffs) = (Vec::new(), Vec::new());
        for (place, to) in &self.wanted {
            cancel.check()?;
            let file = planned(place, to, cancel)?;
            diffs.add(file.diff(engine, &cancel)?);
            files.add(file);
        }
        Ok(Planned::of_files(files, diffs))
    }

    fn needs_approval(&self, planned: &Planned<'a, Vec<ContentDiff>>, _: bool) -> bool {
        planned.files.iter().any(PlannedFile::is_asked)
    }

    fn proposal(
        &self,
        planned: &Planned<'a, Vec<ContentDiff>>,
        Showing { id, .. }: Showing<'_>,
    ) -> Result<Proposal> {
        let each = || planned.files.iter().zip(&planned.report);
        let files = each().map(|(file, diff)| file.shown(file.sides().kind(), diff)).gather();
        let diff = git_diff(each().map(|(file, diff)| (file.sides(), diff)));
        Ok(Proposal::patch(&self.sandbox.name, files, diff, id))
    }

    fn is_dry_run(&self) -> bool {
        self.given.dry_run
    }

    fn reason(&self) -> Option<String> {
        Some(format!("as at {}", quoted(&self.given.rev)))
    }
}

impl FileTools {
    /// Restores files of a work tree as they are at a revision.
    ///
    /// # Errors
    /// Those of naming the files, of approvals, the journal and the writer.
    pub fn restore(&self, arguments: &RestoreArguments) -> Result<ChangedFiles<UndoneFile>> {
        let made = self.change(&mut Restoring::new(self, arguments)?)?;
        let (outcome, id) = (made.outcome(), made.id);
        let each = made.planned.files.iter().zip(made.planned.report);
        let files: Vec<UndoneFile> = each.map(|(file, diff)| undone(file, diff)).gather();
        let count = named_or_counted(&files);
        let verb = if outcome == "applied" { "Restored" } else { "Would restore" };
        let message = format!("{verb} {count} as at {}", quoted(&arguments.rev));
        Ok(ChangedFiles { id, outcome, files, message })
    }
}
