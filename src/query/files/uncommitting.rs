//! `undo` of a commit, and of what was staged: HEAD and the index as they were, or the reverse commit.

use super::file_tools::FileTools;
use super::git_call::{GitCall, planned_git};
use super::git_place::GitPlace;
use redline_base::budget::{Copied, Gather, GatherSome, Grow};
use redline_base::error::{Error, Result, quoted};
use redline_base::form::counted;
use redline_edit::FileTool;
use redline_git::{GitPlan, Moved, Oid, StagedChange, Undone};
use redline_journal::{CommitRecord, FileChange, Record, StagedRecord};
use redline_tools::{ChangedFiles, UndoneFile};

impl<'a> GitCall<'a> {
    /// Returns the call that takes a recorded operation back.
    ///
    /// # Errors
    /// `fs_denied` for an operation of another sandbox, `invalid_args` for a part of it.
    pub fn uncommitting(
        tools: &'a FileTools,
        record: &Record,
        path: Option<&str>,
        is_dry_run: bool,
    ) -> Result<Self> {
        let id = &record.id;
        if path.is_some() {
            return Err(Error::invalid_args(format!(
                "the operation {} wrote into a repository",
                quoted(id)
            ))
            .with_hint("Take it back as a whole, without path"));
        }
        let git = record.git.as_ref();
        let git =
            git.ok_or_else(|| Error::tool_failed("the operation wrote into no repository"))?;
        let place = GitPlace::new(tools, &git.repo)?;
        let sandbox = place.sandbox;
        if git.sandbox != sandbox.name || git.root != sandbox.path.to_string_lossy() {
            return Err(Error::fs_denied(format!(
                "the operation {} was made in another sandbox: {} at {}",
                quoted(id),
                quoted(&git.sandbox),
                quoted(&git.root)
            ))
            .with_hint("Ask the host to configure the directory in redline_sandboxes as it was"));
        }
        let undone = undone(git, &record.files, &place.prefix).ok_or_else(|| {
            Error::tool_failed(format!(
                "the journal has no ids of git for the operation {}",
                quoted(id)
            ))
            .with_hint("A person takes it back with git")
        })?;
        Ok(Self {
            place,
            tool: FileTool::UndoGit,
            arguments: vec![id.as_bytes().copied_vec()],
            plan: Box::new(move |repository| GitPlan::undo(repository, &undone)),
            reason: Some(format!("takes back {id}")),
            is_dry_run,
            basis: Vec::new(),
        })
    }
}

/// Reads what an operation did; `None` for a record that is damaged.
fn undone(git: &CommitRecord, files: &[FileChange], prefix: &str) -> Option<Undone> {
    let oid = |hex: &String| Oid::from_hex(hex.as_bytes()).ok();
    let moved = match &git.commit_id {
        None => None,
        Some(to) => Some(Moved {
            from: match &git.before {
                Some(from) => Some(oid(from)?),
                None => None,
            },
            to: oid(to)?,
            is_made: git.parents.is_some(),
        }),
    };
    let mut staged = Vec::new();
    for file in files {
        let Some(StagedRecord { old, new }) = &file.staged else { continue };
        let versions = |texts: &[String]| texts.iter().map(|text| text.parse().ok()).gather_some();
        let path = file.path.strip_prefix(prefix)?.as_bytes().copied_vec();
        staged.add(StagedChange { path, old: versions(old)?, new: versions(new)? });
    }
    let branch = git.branch.as_ref().map(|name| format!("refs/heads/{name}").into_bytes());
    Some(Undone { branch, moved, staged })
}

impl FileTools {
    /// Takes an operation on a repository back.
    ///
    /// # Errors
    /// Those of the plan, of approvals, of the journal and of writing.
    pub(super) fn uncommit<'a>(
        &'a self,
        mut call: GitCall<'a>,
    ) -> Result<ChangedFiles<UndoneFile>> {
        let made = self.change(&mut call)?;
        let (outcome, git) = (made.outcome(), planned_git(&made.planned)?);
        let is_done = outcome == "applied";
        let count = counted(git.files.len() as u64, "file");
        let branch = git.branch();
        let branch = branch.as_deref().unwrap_or("HEAD");
        let message = match (&git.plan.commit, git.plan.moved()) {
            (Some(_), _) if is_done => format!("Committed the reverse of {count} to {branch}"),
            (Some(_), _) => format!("Would commit the reverse of {count} to {branch}"),
            (None, Some((_, to))) if is_done => {
                format!("Moved {branch} back to {to}; the changes of {count} are uncommitted")
            }
            (None, Some((_, to))) => format!("Would move {branch} back to {to}"),
            (None, None) if is_done => format!("Put back what was staged of {count}"),
            (None, None) => format!("Would put back what was staged of {count}"),
        };
        let root = git.root_shown();
        let files = git.files.iter().map(|file| file.undone(&root)).gather();
        Ok(ChangedFiles { id: made.id.clone(), outcome, files, message })
    }
}
