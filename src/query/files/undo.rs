//! `undo`: reverts recorded operations, as one change of all their files.

use std::borrow::Cow;

use super::blind_call::{BlindCall, joined};
use super::diff_text::{committed, git_diff};
use super::file_tools::FileTools;
use super::git_call::GitCall;
use super::planned::{Maker, Planned, PlannedFile, Showing};
use super::reverting::{Chosen, Target};
use crate::answers::{Answers, Call};
use redline_base::budget::{Gather, Grow};
use redline_base::error::{Error, Result};
use redline_edit::{ContentDiff, FileTool, Proposal};
use redline_sandbox::{Sandbox, SandboxPath};
use redline_text::{CancelToken, Engine};
use redline_tools::{ChangedFiles, Undo, UndoArguments, Undone, UndoneFile};

impl TryFrom<&UndoArguments> for Chosen {
    type Error = Error;

    fn try_from(arguments: &UndoArguments) -> Result<Self> {
        match (arguments.id.clone(), arguments.sandbox.clone()) {
            (Some(_), Some(_)) => Err(Error::invalid_args("id and sandbox are both given")
                .with_hint(
                    "Give the id of an operation, or the sandbox in which all of yours are undone",
                )),
            (Some(id), None) => Ok(Self::Operation(id)),
            (None, Some(name)) => Ok(Self::Sandbox { name, client: None, since: None }),
            (None, None) => Ok(Self::Last),
        }
    }
}

/// A call that reverts operations, and the files as they are to be.
pub(super) struct Undoing<'a> {
    sandbox: Option<&'a Sandbox>,
    places: Vec<SandboxPath<'a>>,
    planned: Option<Planned<'a, Vec<ContentDiff>>>,
    /// The operations.
    ids: Vec<String>,
    reason: Option<String>,
    is_dry_run: bool,
}

impl<'a> Undoing<'a> {
    /// Plans to undo the chosen operations, or only on the file at a path.
    ///
    /// # Errors
    /// Those of [`FileTools::reverted`].
    pub fn new(
        tools: &'a FileTools,
        chosen: &Chosen,
        path: Option<&str>,
        is_dry_run: bool,
    ) -> Result<Self> {
        let (ids, targets) = tools.reverted(chosen, path)?;
        let (engine, cancel) = (&mut Engine::default(), CancelToken::of(tools.budget()));
        let (mut files, mut diffs) = (Vec::new(), Vec::new());
        for target in targets {
            let file = target.planned()?;
            diffs.add(file.diff(engine, &cancel)?);
            files.add(file);
        }
        let places: Vec<SandboxPath<'a>> = files.iter().map(|file| file.place.clone()).gather();
        let reason = match chosen {
            Chosen::Operation(id) => Some(format!("takes back {id}")),
            Chosen::Last => None,
            Chosen::Sandbox { client: Some(client), .. } => {
                Some(format!("takes back what {client} did"))
            }
            Chosen::Sandbox { .. } => Some("takes back what this session did".to_owned()),
        };
        let sandbox = places.first().map(SandboxPath::sandbox);
        let planned = Some(Planned::of_files(files, diffs));
        Ok(Self { sandbox, places, planned, ids, reason, is_dry_run })
    }
}

impl<'a> Target<'a> {
    fn planned(self) -> Result<PlannedFile<'a>> {
        let file = PlannedFile::kept(self.place, self.was)?;
        match self.to {
            Some(to) => file.written(Cow::Owned(to.bytes), Some(to.executable)),
            None => Ok(file.removed()),
        }
    }
}

impl<'a> Maker<'a> for Undoing<'a> {
    type Report = Vec<ContentDiff>;

    fn call(&self) -> BlindCall<'_> {
        let arguments = self.ids.iter().map(String::as_bytes).gather();
        let path = joined(self.places.iter().map(|place| place.path().as_str()));
        match self.sandbox {
            Some(sandbox) => {
                BlindCall { path, ..BlindCall::of_files(FileTool::Undo, sandbox, arguments) }
            }
            None => BlindCall::of_nothing(FileTool::Undo, arguments),
        }
    }

    fn places(&self) -> Vec<&SandboxPath<'a>> {
        self.places.iter().gather()
    }

    fn plan(&mut self) -> Result<Planned<'a, Vec<ContentDiff>>> {
        let planned = self.planned.take();
        planned.ok_or_else(|| Error::tool_failed("an undo is planned once"))
    }

    /// An undo edits, and may write and remove whole files.
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
        let name = self.sandbox.map_or("", |sandbox| &sandbox.name);
        Ok(Proposal::undo(name, files, diff, self.ids.clone(), id))
    }

    fn is_dry_run(&self) -> bool {
        self.is_dry_run
    }

    fn reason(&self) -> Option<String> {
        self.reason.clone()
    }
}

impl FileTools {
    /// Undoes the chosen operations, or only on the file at a path.
    ///
    /// # Errors
    /// `not_found`, `stale` where others have written since; those of approvals, the journal and the
    /// writer.
    pub fn undo(
        &self,
        chosen: &Chosen,
        path: Option<&str>,
        is_dry_run: bool,
    ) -> Result<ChangedFiles<UndoneFile>> {
        if let Some(record) = self.chosen_of_git(chosen)? {
            return self.uncommit(GitCall::uncommitting(self, &record, path, is_dry_run)?);
        }
        let made = self.change(&mut Undoing::new(self, chosen, path, is_dry_run)?)?;
        let (outcome, id) = (made.outcome(), made.id);
        let each = made.planned.files.iter().zip(made.planned.report);
        let files: Vec<UndoneFile> = each.map(|(file, diff)| undone(file, diff)).gather();
        let message = message(outcome, &files);
        Ok(ChangedFiles { id, outcome, files, message })
    }
}

/// Returns what an answer says of a file that got a content of before.
pub(super) fn undone(file: &PlannedFile<'_>, diff: ContentDiff) -> UndoneFile {
    let file = committed(file.place.to_string(), file.sides().kind(), &file.sides(), &diff);
    UndoneFile { file, unified_diff: diff.unified_diff }
}

/// Returns the path of the only file, else the number of them.
pub(super) fn named_or_counted(files: &[UndoneFile]) -> String {
    match files {
        [only] => only.file.path.clone(),
        files => format!("{} files", files.len()),
    }
}

fn message(outcome: &str, files: &[UndoneFile]) -> String {
    let count = named_or_counted(files);
    match outcome {
        "applied" => format!("Reverted changes to {count}"),
        "would_apply" => format!("Would revert changes to {count}"),
        _ => "Nothing to revert".to_owned(),
    }
}

impl Answers for Undo {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let chosen = Chosen::try_from(&arguments)?;
        Undone::new(FileTools::new(call.caller).undo(&chosen, None, false)?, &call.reply)
    }
}
