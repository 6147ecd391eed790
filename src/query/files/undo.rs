//! Undoes operations on files: plans it, asks a person if necessary, writes the files, and records
//! that as an operation that can be undone itself.

use super::file_tools::FileTools;
use super::planned_operation::file_name;
use super::question::Planned;
use super::recorded::{Changed, Recorded, Side, file_at, side_of};
use super::taking_back::{Chosen, Target};
use redline_base::error::Result;
use redline_edit::{
    ContentDiff, Digest, Existing, FileTool, Operation, Proposal, Session, Taken, payload,
};
use redline_git::blob_id;
use redline_journal::ChangeKind;
use redline_sandbox as sandbox;
use redline_sandbox::{After, Change};
use redline_text::{CancelToken, Engine};
use redline_tools::{ChangedFiles, UndoArguments, UndoneFile};

impl From<&UndoArguments> for Chosen {
    fn from(arguments: &UndoArguments) -> Self {
        arguments.id.clone().map_or(Self::Last, Self::Operation)
    }
}

impl FileTools {
    /// Undoes the chosen operations, or only on the file at a path.
    ///
    /// # Errors
    /// Those of [`Self::taken_back`], of approvals and of the system.
    pub fn undo(
        &self,
        chosen: &Chosen,
        path: Option<&str>,
        is_dry_run: bool,
    ) -> Result<ChangedFiles<UndoneFile>> {
        let targets = self.taken_back(chosen, path)?;
        let files = targets.iter().map(|target| self.undone(target)).collect::<Result<Vec<_>>>()?;
        let outcome = match is_dry_run {
            _ if targets.is_empty() => "already_applied",
            true => "would_apply",
            false => "applied",
        };
        let id = match outcome {
            "applied" => Some(self.put_back(&targets, chosen)?),
            _ => None,
        };
        let message = message(outcome, &files);
        Ok(ChangedFiles { id, outcome, files, message })
    }

    /// Returns the payload for a person's decision, if one is needed.
    pub(super) fn undo_payload(&self, arguments: &UndoArguments) -> Result<Option<String>> {
        let caller = self.caller();
        let (approvals, rules) = (&caller.state.approvals, caller.rules());
        for target in &self.taken_back(&Chosen::from(arguments), None)? {
            let operation = target.operation(&caller.session);
            if self.asks_about(target) && !approvals.allows(&operation, rules) {
                let proposal = self.undo_proposal(target, &operation)?;
                let json = proposal.payload.to_json();
                approvals.propose(&operation, proposal, rules)?;
                return Ok(Some(json));
            }
        }
        Ok(None)
    }

    /// Writes the new states of the files if all of them need no approval or have one; returns the
    /// id of the operation.
    fn put_back(&self, targets: &[Target<'_>], chosen: &Chosen) -> Result<String> {
        let files = targets.iter().map(|target| file_at(&target.place)).collect();
        let recorded = Recorded::new(self.caller(), FileTool::Undo.name(), files);
        recorded.because(match chosen {
            Chosen::Operation(id) => Some(format!("takes back {id}")),
            Chosen::Last => None,
            Chosen::Sandbox { client, .. } => Some(format!("takes back what {client} did")),
        });
        let done = self.check_approved(targets, &recorded).and_then(|()| {
            let changes = targets.iter().map(Target::changed).collect::<Result<_>>()?;
            recorded.begin(changes)?;
            let changes: Vec<Change<'_>> = targets.iter().map(Target::change).collect();
            sandbox::apply(&changes, || ())?;
            Ok(recorded.id())
        });
        recorded.end(done)
    }

    /// Uses up the approvals of the files, after each of them has one.
    fn check_approved(&self, targets: &[Target<'_>], recorded: &Recorded<'_>) -> Result<()> {
        let caller = self.caller();
        let rules = caller.rules();
        let asked: Vec<&Target<'_>> =
            targets.iter().filter(|target| self.asks_about(target)).collect();
        for target in &asked {
            if !caller.state.approvals.allows(&target.operation(&caller.session), rules) {
                self.take_yes(target)?;
            }
        }
        for target in asked {
            recorded.allowed_by(self.take_yes(target)?);
        }
        Ok(())
    }

    fn asks_about(&self, target: &Target<'_>) -> bool {
        target.is_asked_about(self.caller().may_read)
    }

    fn take_yes(&self, target: &Target<'_>) -> Result<Taken> {
        let operation = target.operation(&self.caller().session);
        let proposal = self.undo_proposal(target, &operation)?;
        let outline = payload::outline(FileTool::Undo, &target.place.to_string());
        self.caller().take(&operation, Some(proposal), &outline)
    }

    fn undo_proposal(&self, target: &Target<'_>, operation: &Operation<'_>) -> Result<Proposal> {
        let cancel = CancelToken::of(self.budget());
        target.proposal(self.caller().id(operation), self.caller().may_read, &cancel)
    }

    fn undone(&self, target: &Target<'_>) -> Result<UndoneFile> {
        let diff = target.diff(&CancelToken::of(self.budget()))?;
        let file = target.changed()?.file;
        Ok(UndoneFile {
            path: file.shown(),
            kind: file.kind.map_or("update", ChangeKind::name),
            lines_added: diff.additions,
            lines_removed: diff.deletions,
            base_oid: file.base.map(|version| version.oid),
            oid: file.result.map(|version| version.oid),
            unified_diff: diff.unified_diff,
        })
    }
}

impl Target<'_> {
    fn changed(&self) -> Result<Changed<'_>> {
        let result: Side<'_> = self.to.as_ref().map(|to| (&to.bytes[..], to.executable));
        Changed::new(&self.place, [side_of(&self.was), result])
    }

    fn diff(&self, cancel: &CancelToken<'_>) -> Result<ContentDiff> {
        let sides = [self.was.bytes(), self.to.as_ref().map(|to| &to.bytes[..])];
        let [base, content] = sides.map(Option::unwrap_or_default);
        ContentDiff::new(&mut Engine::default(), file_name(&self.place), base, content, cancel)
    }

    fn change(&self) -> Change<'_> {
        let after = self.to.as_ref().map(|to| After {
            bytes: to.bytes.clone(),
            executable: Some(to.executable),
            moved_from: None,
        });
        Change { place: self.place.clone(), before: self.was.clone(), after }
    }
}

/// What is taken back is in files that may be shown.
impl Planned for Target<'_> {
    fn is_asked_about(&self, _may_read: bool) -> bool {
        let asked = self.place.sandbox().approvals;
        match (self.was.bytes(), &self.to) {
            (Some(_), Some(_)) => asked.edit,
            _ => asked.write,
        }
    }

    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        Operation {
            session,
            tool: FileTool::Undo,
            sandbox: &self.place.sandbox().identity,
            path: self.place.path().as_str().as_bytes(),
            arguments: &[],
            base: self.was.bytes(),
            result: self.to.as_ref().map(|to| &to.bytes[..]),
            mode: self.was.mode(),
        }
    }

    fn proposal(&self, id: Digest, _: bool, cancel: &CancelToken<'_>) -> Result<Proposal> {
        let oid = self.was.bytes().map(blob_id).transpose()?.unwrap_or_default();
        let mode = self.was.mode().unwrap_or_default();
        let existing = self.was.bytes().map(|content| Existing { content, oid: &oid, mode });
        let to = self.to.as_ref().map(|to| &to.bytes[..]);
        Proposal::undo(file_name(&self.place), to, existing, self.diff(cancel)?, id)
    }
}

fn message(outcome: &str, files: &[UndoneFile]) -> String {
    let count = match files {
        [only] => only.path.clone(),
        files => format!("{} files", files.len()),
    };
    match outcome {
        "applied" => format!("Took back changes of {count}"),
        "would_apply" => format!("Would take back changes of {count}"),
        _ => "Nothing is left to take back".to_owned(),
    }
}
