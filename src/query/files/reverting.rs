//! Computes the files after recorded operations are undone. Nothing is written here.

use std::collections::BTreeMap;

use super::file_tools::FileTools;
use crate::Caller;
use redline_base::budget::{Charge, Copied, Gather, Grow, GrowMap, check_current};
use redline_base::error::{Error, Result, quoted};
use redline_base::form;
use redline_edit::is_executable;
use redline_journal::{Entry, FileChange, Journal, Outcome, Record, Version};
use redline_sandbox::{Expected, SandboxPath, Sandboxes};
use redline_text::revert::{Conflict, Conflicting, Contents, State, Step, changed_since, reverted};
use redline_text::{CancelToken, Engine};

/// The operations to undo.
#[derive(Debug, Clone)]
pub enum Chosen {
    /// The one with this id.
    Operation(String),
    /// The last one of the session.
    Last,
    /// Those of a session in a sandbox.
    Sandbox {
        /// The sandbox.
        name: String,
        /// The session, as the journal names it; one's own by default.
        client: Option<String>,
        /// The start time, in microseconds since 1970.
        since: Option<i64>,
    },
}

/// A file to change or remove.
#[derive(Debug)]
pub(super) struct Target<'a> {
    /// Its place.
    pub place: SandboxPath<'a>,
    /// Its current state.
    pub was: Expected,
    /// Its new state.
    pub to: State,
}

/// The files of the operations, as far as these are undone.
struct Undone<'a> {
    caller: &'a Caller,
    files: BTreeMap<String, Target<'a>>,
    conflicts: Vec<Conflict>,
    charge: Charge,
}

impl FileTools {
    /// Returns the chosen operation if it wrote into a git directory, and no file.
    ///
    /// # Errors
    /// As [`FileTools::reverted`].
    pub(super) fn chosen_of_git(&self, chosen: &Chosen) -> Result<Option<Record>> {
        let caller = self.caller();
        if matches!(chosen, Chosen::Sandbox { .. }) {
            return Ok(None);
        }
        caller.with_journal(|journal| {
            let entries = journal.entries()?;
            let records = records(&entries, chosen, &caller.client())?;
            let found = records.into_iter().find(|record| record.git.is_some());
            found.map(|record| check_whole(record).map(|()| record.clone())).transpose()
        })
    }

    /// Returns the ids of the chosen operations, and the targets of undoing them, or only the one at
    /// a path.
    ///
    /// # Errors
    /// `not_found` for an operation or content that is not in the journal, `stale` if others have
    /// written to the same place since.
    pub(super) fn reverted(
        &self,
        chosen: &Chosen,
        path: Option<&str>,
    ) -> Result<(Vec<String>, Vec<Target<'_>>)> {
        let caller = self.caller();
        if let Chosen::Sandbox { name, .. } = chosen {
            check_sandbox(caller, name)?;
        }
        caller.with_journal(|journal| {
            let entries = journal.entries()?;
            let records = records(&entries, chosen, &caller.client())?;
            let (files, conflicts) = (BTreeMap::new(), Vec::new());
            let mut undone = Undone { caller, files, conflicts, charge: Charge::free() };
            let mut engine = Engine::default();
            for record in &records {
                check_whole(record)?;
                for file in record.files.iter().rev() {
                    check_current()?;
                    let is_asked = |asked: &str| {
                        asked == file.shown() || Some(asked) == file.old_shown().as_deref()
                    };
                    let is_chosen = match chosen {
                        Chosen::Sandbox { name, .. } => file.sandbox == *name,
                        Chosen::Operation(_) | Chosen::Last => true,
                    };
                    if is_chosen && path.is_none_or(is_asked) {
                        undone.revert(journal, &mut engine, file)?;
                    }
                }
            }
            let ids = records.iter().map(|record| record.id.clone()).gather();
            Ok((ids, undone.finish()?))
        })
    }
}

/// Refuses an operation that was done and of which the journal has not all files.
fn check_whole(record: &Record) -> Result<()> {
    if record.more == 0 {
        return Ok(());
    }
    let lost = form::counted(record.more, "file");
    Err(Error::not_found(format!(
        "the journal lacks {lost} of the operation {}",
        quoted(&record.id)
    ))
    .with_hint("Its lines were cut off: restore the files by other means; nothing was changed"))
}

/// Refuses an unknown name of a sandbox.
fn check_sandbox(caller: &Caller, name: &str) -> Result<()> {
    let mut all = caller.context.access.sandboxes().into_iter().flat_map(Sandboxes::iter);
    if all.any(|sandbox| sandbox.name == name) {
        return Ok(());
    }
    Err(Error::fs_denied(format!("{} is not a sandbox", quoted(name)))
        .with_hint("Give the name of a sandbox that redline_capabilities() lists"))
}

/// Returns the chosen operations, the newest first.
fn records<'e>(entries: &'e [Entry], chosen: &Chosen, client: &str) -> Result<Vec<&'e Record>> {
    let newest = entries.iter().rev().filter_map(Entry::operation);
    // What has begun and is not recorded whole was not done.
    let is_there = |record: &&Record| match record.outcome {
        Outcome::Done => true,
        Outcome::Begun => record.more == 0,
        Outcome::Declined | Outcome::Failed => false,
    };
    match chosen {
        Chosen::Operation(id) => {
            let found = newest.into_iter().find(|record| record.id == *id).ok_or_else(|| {
                Error::not_found(format!("the journal has no operation {}", quoted(id)))
                    .with_hint("Leave out id for the last one of this session; the answer of each call has its id, and old ones are dropped")
            })?;
            if !is_there(&found) {
                return Err(Error::invalid_args(format!(
                    "the operation {} was not done: it is {}",
                    quoted(id),
                    found.outcome.name()
                ))
                .with_hint(
                    "Give the id of an operation that was done, as the answer of its call has it",
                ));
            }
            Ok(vec![found])
        }
        Chosen::Last => {
            let own = newest.filter(is_there).find(|record| record.client == client);
            own.map(|record| vec![record]).ok_or_else(|| {
                Error::not_found("this session has done no operation on a file")
                    .with_hint("Give the id of an operation of another session, as the answer of its call has it")
            })
        }
        Chosen::Sandbox { client: named, since, .. } => Ok(newest
            .filter(is_there)
            .filter(|record| record.client == named.as_deref().unwrap_or(client))
            .filter(|record| record.git.is_none())
            .filter(|record| since.is_none_or(|since| record.at >= since))
            .gather()),
    }
}

impl<'a> Undone<'a> {
    fn revert(
        &mut self,
        journal: &dyn Journal,
        engine: &mut Engine,
        file: &FileChange,
    ) -> Result<()> {
        let step = Step {
            base: self.content(journal, file.base.as_ref())?,
            result: self.content(journal, file.result.as_ref())?,
        };
        let path = file.shown();
        let now = self.state(file)?;
        let cancel = CancelToken::of(&self.caller.context.budget);
        let to = match reverted(engine, now, &step, &cancel)? {
            Ok(to) => to,
            Err(why) => {
                self.conflicts.add((path, why));
                return Ok(());
            }
        };
        let Some(old_path) = &file.old_path else {
            self.set(&path, to);
            return Ok(());
        };
        // A moved file goes back if no file is at its old path.
        let old = FileChange { path: old_path.clone(), old_path: None, ..file.clone() };
        if self.state(&old)?.is_some() {
            self.conflicts.add((old.shown(), Conflicting::Made));
            return Ok(());
        }
        self.set(&path, None);
        self.set(&old.shown(), to);
        Ok(())
    }

    fn content(&mut self, journal: &dyn Journal, version: Option<&Version>) -> Result<State> {
        let Some(version) = version else { return Ok(None) };
        let bytes = usize::try_from(version.bytes).unwrap_or(usize::MAX);
        let cancel = CancelToken::of(&self.caller.context.budget);
        let _charge = cancel.charge_all(bytes)?;
        Ok(Some(Contents { bytes: journal.content(version)?, executable: version.executable }))
    }

    /// Returns the current state of the file in the plan.
    fn state(&mut self, file: &FileChange) -> Result<State> {
        let path = file.shown();
        if let Some(target) = self.files.get(&path) {
            return Ok(target.to.clone());
        }
        let place = self.caller.recorded_place(file)?;
        self.caller.check_shown(&place, &path)?;
        let was = place.read_for_writing()?;
        let bytes = was.bytes().map_or(0, <[u8]>::len);
        let cancel = CancelToken::of(&self.caller.context.budget);
        self.charge.join(cancel.charge_all(bytes.saturating_mul(2))?);
        let to = contents(&was);
        self.files.put(path, Target { place, was, to: to.clone() });
        Ok(to)
    }

    fn set(&mut self, path: &str, to: State) {
        if let Some(target) = self.files.get_mut(path) {
            target.to = to;
        }
    }

    /// Returns the files to change.
    fn finish(self) -> Result<Vec<Target<'a>>> {
        if !self.conflicts.is_empty() {
            let hint = "Nothing was changed: make the remaining change with edit_file";
            return Err(changed_since(&self.conflicts, hint));
        }
        let targets = self.files.into_values();
        Ok(targets.filter(|target| contents(&target.was) != target.to).gather())
    }
}

/// Returns a file as the journal stores it.
fn contents(file: &Expected) -> State {
    let bytes = file.bytes()?.copied_vec();
    Some(Contents { bytes, executable: file.mode().is_some_and(is_executable) })
}
