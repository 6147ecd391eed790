//! Undoes operations on files: plans it, asks a person if necessary, writes the files, and records
//! that as an operation that can be undone itself.

use super::file_tools::FileTools;
use super::planned_operation::file_name;
use super::taking_back::{Chosen, Target};
use crate::edit::{
    ContentDiff, Digest, Existing, FileTool, Operation, Proposal, Session, Taken, payload,
};
use crate::error::Result;
use crate::functions::context::journal::{Changed, Recorded, Side, file_at};
use crate::functions::context::settings;
use crate::git::blob_id;
use crate::journal::ChangeKind;
use crate::sandbox::{self, After, Change};
use crate::text::{CancelToken, Engine};
use crate::tools::{UndoArguments, Undone, UndoneFile};

impl UndoArguments {
    /// Returns the operations to undo.
    pub fn chosen(&self) -> Chosen {
        self.id.clone().map_or(Chosen::Last, Chosen::Operation)
    }
}

impl FileTools {
    /// Undoes the chosen operations, or only on the file at a path.
    ///
    /// # Errors
    /// Those of [`Self::taken_back`], of approvals and of the system.
    pub fn undo(&self, chosen: &Chosen, path: Option<&str>, is_dry_run: bool) -> Result<Undone> {
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
        Ok(Undone { id, outcome, files, message, unified_diff: String::new(), truncated: false })
    }

    /// Returns the payload for a person's decision, if one is needed.
    pub(super) fn undo_payload(&self, chosen: &Chosen) -> Result<Option<String>> {
        let approvals = &self.execution().database.approvals;
        let rules = settings::rules(&self.execution().settings);
        for target in &self.taken_back(chosen, None)? {
            let operation = target.operation(&self.execution().session);
            if target.is_asked_about() && !approvals.allows(&operation, rules) {
                let proposal = self.undo_proposal(target, operation.id(approvals.secret()))?;
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
        let recorded = Recorded::new(self.execution(), FileTool::Undo.name(), files);
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
        let approvals = &self.execution().database.approvals;
        let rules = settings::rules(&self.execution().settings);
        let asked: Vec<&Target<'_>> =
            targets.iter().filter(|target| target.is_asked_about()).collect();
        for target in &asked {
            if !approvals.allows(&target.operation(&self.execution().session), rules) {
                self.take_yes(target)?;
            }
        }
        for target in asked {
            recorded.allowed_by(self.take_yes(target)?.given.as_ref());
        }
        Ok(())
    }

    fn take_yes(&self, target: &Target<'_>) -> Result<Taken> {
        let approvals = &self.execution().database.approvals;
        let operation = target.operation(&self.execution().session);
        let proposal = self.undo_proposal(target, operation.id(approvals.secret()))?;
        let outline = payload::outline(FileTool::Undo, &target.place.to_string());
        let rules = settings::rules(&self.execution().settings);
        approvals
            .take(&operation, Some(proposal), &outline, rules)
            .map_err(|error| self.execution().unapproved(&outline, error))
    }

    fn undo_proposal(&self, target: &Target<'_>, id: Digest) -> Result<Proposal> {
        let oid = target.was.bytes().map(blob_id).transpose()?.unwrap_or_default();
        let mode = target.was.mode().unwrap_or_default();
        let existing = target.was.bytes().map(|content| Existing { content, oid: &oid, mode });
        let change = self.diff(target)?;
        let to = target.to.as_ref().map(|to| &to.bytes[..]);
        Proposal::undo(file_name(&target.place), to, existing, change, id)
    }

    fn diff(&self, target: &Target<'_>) -> Result<ContentDiff> {
        let cancel = CancelToken::of(self.budget());
        let sides = [target.was.bytes(), target.to.as_ref().map(|to| &to.bytes[..])];
        let [base, content] = sides.map(Option::unwrap_or_default);
        ContentDiff::new(&mut Engine::default(), file_name(&target.place), base, content, &cancel)
    }

    fn undone(&self, target: &Target<'_>) -> Result<UndoneFile> {
        let diff = self.diff(target)?;
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
        let executable = self.was.mode().is_some_and(|mode| mode & 0o111 != 0);
        let base = self.was.bytes().map(|bytes| (bytes, executable));
        let result: Side<'_> = self.to.as_ref().map(|to| (&to.bytes[..], to.executable));
        Changed::new(&self.place, [base, result])
    }

    /// Tells whether the sandbox requires an approval.
    fn is_asked_about(&self) -> bool {
        let asked = self.place.sandbox().approvals();
        match (self.was.bytes(), &self.to) {
            (Some(_), Some(_)) => asked.edit,
            _ => asked.write,
        }
    }

    /// Returns the operation that an approval covers.
    fn operation<'b>(&'b self, session: &'b Session) -> Operation<'b> {
        Operation {
            session,
            tool: FileTool::Undo,
            sandbox: self.place.sandbox().identity(),
            path: self.place.path().as_str().as_bytes(),
            arguments: &[],
            base: self.was.bytes(),
            result: self.to.as_ref().map(|to| &to.bytes[..]),
            mode: self.was.mode(),
        }
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
