//! A planned call: its files, each as it is and as it is to be, and what makes it.

use std::borrow::Cow;

use super::blind_call::BlindCall;
use super::planned_git::PlannedGit;
use redline_base::budget::{Copied, Gather};
use redline_base::error::Result;
use redline_edit::payload::PatchedFile;
use redline_edit::{
    ChangeSet, ChangedFile, ContentDiff, Digest, FileName, Proposal, Side, is_executable,
    mode_after,
};
use redline_git::blob_id;
use redline_sandbox::{After, Change, Expected, SandboxPath};
use redline_text::{CancelToken, Engine};

/// What a call makes of a file.
pub(super) enum Outcome<'a> {
    /// It stays as it is.
    Kept,
    /// It is removed.
    Removed,
    /// It gets a content and a mode.
    Written { content: Cow<'a, [u8]>, mode: u32, oid: String },
}

/// A file of a call, as it is and as it is to be.
pub(super) struct PlannedFile<'a> {
    /// The file.
    pub place: SandboxPath<'a>,
    /// What was found there.
    pub before: Expected,
    /// The git blob id of that; empty where there is no file.
    base_oid: String,
    /// The place that it moves to.
    target: Option<SandboxPath<'a>>,
    outcome: Outcome<'a>,
}

impl<'a> PlannedFile<'a> {
    /// Returns a file that stays as it is.
    ///
    /// # Errors
    /// Those of the id of a content.
    pub fn kept(place: SandboxPath<'a>, before: Expected) -> Result<Self> {
        let base_oid = before.bytes().map(blob_id).transpose()?.unwrap_or_default();
        Ok(Self { place, before, base_oid, target: None, outcome: Outcome::Kept })
    }

    /// The same file, removed.
    pub fn removed(self) -> Self {
        Self { outcome: Outcome::Removed, ..self }
    }

    /// The same file with a content; `executable` is the right to run it, `None` to keep that.
    ///
    /// # Errors
    /// Those of the id of a content.
    pub fn written(self, content: Cow<'a, [u8]>, executable: Option<bool>) -> Result<Self> {
        let mode = mode_after(self.before.mode(), executable);
        let is_kept = self.before.mode() == Some(mode) && self.before.bytes() == Some(&content);
        let outcome = match is_kept {
            true => Outcome::Kept,
            false => Outcome::Written { oid: blob_id(&content)?, content, mode },
        };
        Ok(Self { outcome, ..self })
    }

    /// The same file, moved to another place.
    pub fn moved(self, target: SandboxPath<'a>) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Returns the name of the file.
    pub fn name(&self) -> FileName<'_> {
        file_name(&self.place)
    }

    /// Tells whether the sandbox wants a person's yes: to an edit of a file, or to writing and removing
    /// a whole one.
    pub fn is_asked(&self) -> bool {
        let asked = self.place.sandbox().approvals;
        if self.before().is_some() && self.after().is_some() { asked.edit } else { asked.write }
    }

    /// Returns the file before.
    pub fn before(&self) -> Option<Side<'_>> {
        let (content, mode) = (self.before.bytes()?, self.before.mode()?);
        Some(Side { content, mode, oid: &self.base_oid })
    }

    /// Returns the file after.
    pub fn after(&self) -> Option<Side<'_>> {
        match &self.outcome {
            Outcome::Kept => self.before(),
            Outcome::Removed => None,
            Outcome::Written { content, mode, oid } => Some(Side { content, mode: *mode, oid }),
        }
    }

    /// Returns both sides of the file.
    pub fn sides(&self) -> ChangedFile<'_> {
        let (from, to) = (&self.place, self.target.as_ref().unwrap_or(&self.place));
        let old_path = self.target.is_some().then(|| from.path().as_str());
        let (before, after) = (self.before(), self.after());
        ChangedFile { path: to.path().as_str(), old_path, before, after }
    }

    /// Returns the place of the file afterwards.
    pub fn new_place(&self) -> &SandboxPath<'a> {
        self.target.as_ref().unwrap_or(&self.place)
    }

    /// Compares both contents.
    ///
    /// # Errors
    /// Those of [`ContentDiff::new`].
    pub fn diff(&self, engine: &mut Engine, cancel: &CancelToken<'_>) -> Result<ContentDiff> {
        let sides = [self.before(), self.after()];
        let [old, new] = sides.map(|side| side.map_or(&b""[..], |side| side.content));
        ContentDiff::new(engine, self.name(), old, new, cancel)
    }

    /// Returns what a payload lists of the file.
    pub fn shown(&self, kind: &str, diff: &ContentDiff) -> PatchedFile {
        let place = self.new_place();
        PatchedFile::of(&self.sides(), kind, diff, place.sandbox().is_run_by_tools(place.path()))
    }

    /// Returns what the writer makes of it.
    fn changes(&self) -> Vec<Change<'a>> {
        let (place, before) = (self.place.clone(), self.before.clone());
        let after = |moved_from| {
            let after = self.after()?;
            let was = self.before.mode().map(is_executable);
            let is_wanted =
                Some(after.is_executable()) == was || was.is_none() && !after.is_executable();
            let executable = (!is_wanted).then(|| after.is_executable());
            Some(After { bytes: after.content.copied_vec(), executable, moved_from })
        };
        let Some(target) = &self.target else {
            return vec![Change { place, before, after: after(None) }];
        };
        let to = after(Some((place.clone(), before.clone())));
        let to = Change { place: target.clone(), before: Expected::Absent, after: to };
        vec![Change { place, before, after: None }, to]
    }
}

/// The files of a call with what they are to be, and what else its answer tells.
pub(super) struct Planned<'a, T> {
    pub files: Vec<PlannedFile<'a>>,
    /// What is written into a git directory; then no file is.
    pub git: Option<Box<PlannedGit>>,
    pub report: T,
}

impl<'a, T> Planned<'a, T> {
    /// Returns a call on these files.
    pub fn of_files(files: Vec<PlannedFile<'a>>, report: T) -> Self {
        Self { files, git: None, report }
    }

    /// Returns the change set.
    pub fn change_set(&self) -> ChangeSet<'_> {
        let files = self.files.iter().map(PlannedFile::sides);
        ChangeSet(files.chain(self.git.iter().flat_map(|git| git.sides())).gather())
    }

    /// Tells whether nothing is to be written.
    pub fn is_unchanged(&self) -> bool {
        self.git.is_none() && self.change_set().is_unchanged()
    }

    /// Returns what the writer makes of the files that change.
    pub fn changes(&self) -> Vec<Change<'a>> {
        let changed = self.files.iter().filter(|file| !file.sides().is_unchanged());
        changed.flat_map(PlannedFile::changes).gather()
    }
}

/// What a proposal of a call is made with.
#[derive(Clone, Copy)]
pub(super) struct Showing<'c> {
    /// The id under which a person decides.
    pub id: Digest,
    /// Whether lines that are overwritten may be shown.
    pub may_read: bool,
    pub cancel: &'c CancelToken<'c>,
}

/// A call that makes a change set of the current files.
pub(super) trait Maker<'a> {
    /// What its answer tells beside the files.
    type Report;

    /// Returns the part of the call that does not depend on the files.
    fn call(&self) -> BlindCall<'_>;

    /// Returns the places of its files.
    fn places(&self) -> Vec<&SandboxPath<'a>>;

    /// Plans the call for the current files.
    ///
    /// # Errors
    /// Those of the tool.
    fn plan(&mut self) -> Result<Planned<'a, Self::Report>>;

    /// Plans the call for this state of its only file, which another writer cannot change
    /// meanwhile; `None` if the call is planned for the current files alone.
    fn plan_of(&mut self, _found: &Expected) -> Option<Result<Planned<'a, Self::Report>>> {
        None
    }

    /// Tells whether the sandbox asks a person about it; `may_read` tells whether the content of
    /// the files may be known.
    fn needs_approval(&self, planned: &Planned<'a, Self::Report>, may_read: bool) -> bool;

    /// Returns what a person is shown of it.
    ///
    /// # Errors
    /// Those of a comparison.
    fn proposal(&self, planned: &Planned<'a, Self::Report>, with: Showing<'_>) -> Result<Proposal>;

    /// Tells whether nothing is to be written.
    fn is_dry_run(&self) -> bool {
        false
    }

    /// Returns the reason, for the record.
    fn reason(&self) -> Option<String> {
        None
    }

    /// Tells whether it may be planned again when another writer was faster.
    fn takes_any_version(&self) -> bool {
        false
    }

    /// Tells whether a copy of the call in the same statement is refused.
    fn is_refused_twice(&self) -> bool {
        false
    }
}

/// Returns the name of a file for plans and messages.
pub(super) fn file_name<'a>(place: &'a SandboxPath<'_>) -> FileName<'a> {
    FileName { sandbox: &place.sandbox().name, relative: place.path().as_str() }
}
