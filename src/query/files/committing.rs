//! `git_commit`, `git_stage` and `git_unstage`: what is written into a git directory.

use super::file_tools::FileTools;
use super::git_call::{GitCall, planned_git};
use super::git_place::GitPlace;
use super::selected_hunks::selected;
use crate::Context;
use crate::answers::{Answers, Call};
use redline_base::budget::{Copied, CopiedText, Gather, Grow, GrowBy, Joined, Taken, text_of};
use redline_base::error::{Error, Result, escaped};
use redline_base::form::counted;
use redline_base::limits;
use redline_edit::FileTool;
use redline_git::{
    Action, CommitOptions, CommitTime, GitPlan, Ident, Pathspec, Repository, Selection, checked_out,
};
use redline_text::hunk_id;
use redline_tools::{
    CommitResult, CommittedFile, GitCommit, GitCommitArguments, GitStage, GitStageArguments,
};
use std::slice;

/// What is done with the index or a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitAction {
    /// A commit on top of HEAD.
    Commit,
    /// New versions in the index.
    Stage,
    /// The versions of HEAD in the index.
    Unstage,
}

impl GitAction {
    const fn tool(self) -> FileTool {
        match self {
            Self::Commit => FileTool::Commit,
            Self::Stage => FileTool::Stage,
            Self::Unstage => FileTool::Unstage,
        }
    }
}

/// What a call is about.
#[derive(Debug, Clone, Default)]
pub struct What {
    /// Everything that is staged.
    pub staged: bool,
    /// Files, as pathspecs.
    pub paths: Vec<String>,
    /// Ids of hunks.
    pub hunks: Vec<String>,
    /// A patch.
    pub patch: String,
}

impl What {
    /// Reads one text: `staged`, a patch, or a path or an id.
    ///
    /// # Errors
    /// `invalid_args` for an empty text.
    pub fn of_text(text: &str) -> Result<Self> {
        match text {
            "staged" => Ok(Self { staged: true, ..Self::default() }),
            patch if patch.contains('\n') => {
                Ok(Self { patch: patch.copied_text(), ..Self::default() })
            }
            one => Self::of_parts(&[one]),
        }
    }

    /// Reads paths and ids of hunks.
    ///
    /// # Errors
    /// `invalid_args` for an empty list or text, `too_large` for more than
    /// [`limits::COMMIT_PARTS`].
    pub fn of_parts<T: AsRef<str>>(parts: &[T]) -> Result<Self> {
        if parts.is_empty() || parts.iter().any(|part| part.as_ref().is_empty()) {
            return Err(Error::invalid_args("what names nothing")
                .with_hint("Give paths, ids of hunks, a patch, or 'staged'"));
        }
        if parts.len() > limits::COMMIT_PARTS {
            return Err(Error::too_large(format!("what has {} parts", parts.len())).with_hint(
                format!(
                    "Give {} at most: a directory names all files below it",
                    limits::COMMIT_PARTS
                ),
            ));
        }
        // Hunks that an answer shows as one have their ids together.
        let (mut hunks, mut paths) = (Vec::new(), Vec::new());
        for part in parts.iter().map(AsRef::as_ref) {
            match hunk_id::is_name(part) {
                true => hunks.add_all(hunk_id::parts(part).map(CopiedText::copied_text)),
                false => paths.add(part.copied_text()),
            }
        }
        Ok(Self { paths, hunks, ..Self::default() })
    }

    /// Reads what a tool is given: one text or several.
    ///
    /// # Errors
    /// Those of both.
    pub fn of_list(given: &[String]) -> Result<Self> {
        match given {
            [one] => Self::of_text(one),
            _ => Self::of_parts(given),
        }
    }

    /// Returns the parts in a form that no other parts have.
    fn key(&self) -> Vec<u8> {
        let mut key = vec![u8::from(self.staged)];
        for list in [&self.paths[..], &self.hunks, slice::from_ref(&self.patch)] {
            key.add_slice(&(list.len() as u64).to_be_bytes());
            for text in list {
                key.add_slice(&(text.len() as u64).to_be_bytes());
                key.add_slice(text.as_bytes());
            }
        }
        key
    }
}

/// The arguments of `git_commit`, `git_stage` and `git_unstage`.
#[derive(Debug, Clone)]
pub struct CommitArguments {
    /// What is done.
    pub action: GitAction,
    /// The repository.
    pub repo: String,
    /// The message of a commit.
    pub message: String,
    /// What is committed or staged.
    pub what: What,
    /// A trailer of the message, as `Key: value`, beside the one that the sandbox adds.
    pub trailer: Option<String>,
    /// The author, as `Name <address>`; `None` for the configured one.
    pub author: Option<String>,
    /// The time, as `<seconds> <zone>`; `None` for now.
    pub date: Option<String>,
    /// Whether nothing is written.
    pub dry_run: bool,
}

impl CommitArguments {
    /// Returns those of a call of `GitCommit`.
    ///
    /// # Errors
    /// Those of [`What`].
    pub fn of_commit(given: &GitCommitArguments, context: &Context) -> Result<Self> {
        let staged = What { staged: true, ..What::default() };
        Ok(Self {
            action: GitAction::Commit,
            repo: given.repo.clone().unwrap_or_else(|| context.default_repository()),
            message: given.message.copied_text(),
            what: given.what.as_deref().map_or(Ok(staged), What::of_list)?,
            trailer: None,
            author: given.author.clone(),
            date: None,
            dry_run: given.dry_run.unwrap_or(false),
        })
    }

    /// Returns those of a call of `GitStage`.
    ///
    /// # Errors
    /// Those of [`What`].
    pub fn of_stage(given: &GitStageArguments, context: &Context) -> Result<Self> {
        let unstages = given.unstage.unwrap_or(false);
        Ok(Self {
            action: if unstages { GitAction::Unstage } else { GitAction::Stage },
            repo: given.repo.clone().unwrap_or_else(|| context.default_repository()),
            message: String::new(),
            what: What::of_list(&given.what)?,
            trailer: None,
            author: None,
            date: None,
            dry_run: given.dry_run.unwrap_or(false),
        })
    }

    /// Returns what is done; `trailer` is that of the sandbox.
    fn git_action(&self, trailer: Option<&String>) -> Result<Action> {
        Ok(match self.action {
            GitAction::Stage => Action::Stage,
            GitAction::Unstage => Action::Unstage,
            GitAction::Commit => Action::Commit(CommitOptions {
                message: self.message.copied_text(),
                trailers: self.trailer.iter().chain(trailer).cloned().gather(),
                author: self.author.as_deref().map(Ident::parse).transpose()?,
                time: self.date.as_deref().map(CommitTime::parse).transpose()?,
            }),
        })
    }

    fn selection(&self, repository: &Repository) -> Result<Selection> {
        let What { staged, paths, hunks, patch } = &self.what;
        let mut selection = Selection {
            staged: *staged,
            paths: Pathspec::parse_all(paths)?,
            patch: patch.as_bytes().copied_vec(),
            ..Selection::default()
        };
        if !hunks.is_empty() {
            let has_head = checked_out(repository)?.commit.is_some();
            let unstages = self.action == GitAction::Unstage;
            let sides: &[[&str; 2]] = match (unstages, has_head) {
                (true, true) => &[["HEAD", "INDEX"]],
                (true, false) => &[["EMPTY", "INDEX"]],
                (false, true) => &[["HEAD", "WORKTREE"], ["INDEX", "WORKTREE"]],
                (false, false) => &[["INDEX", "WORKTREE"]],
            };
            let (text, files) = selected(repository, hunks, sides)?;
            selection.patch = text;
            for file in &files {
                selection.paths.add(Pathspec::of_file(file)?);
            }
        }
        Ok(selection)
    }
}

impl<'a> GitCall<'a> {
    /// Returns the call that commits, stages or unstages.
    ///
    /// # Errors
    /// `fs_denied` if no sandbox lets the repository be written.
    pub fn committing(tools: &'a FileTools, given: &'a CommitArguments) -> Result<Self> {
        let place = GitPlace::new(tools, &given.repo)?;
        let trailer = &place.grant.trailer;
        let text =
            |text: &Option<String>| text.as_deref().unwrap_or_default().as_bytes().copied_vec();
        let arguments = vec![
            given.message.as_bytes().copied_vec(),
            given.what.key(),
            text(&given.trailer),
            text(trailer),
            text(&given.author),
            text(&given.date),
        ];
        Ok(Self {
            tool: given.action.tool(),
            arguments,
            plan: Box::new(|repository| {
                GitPlan::new(
                    repository,
                    &given.git_action(trailer.as_ref())?,
                    &given.selection(repository)?,
                )
            }),
            place,
            reason: None,
            is_dry_run: given.dry_run,
            basis: Vec::new(),
        })
    }
}

impl FileTools {
    /// Commits, stages or unstages.
    ///
    /// # Errors
    /// Those of the plan, of approvals, of the journal and of writing.
    pub fn commit(&self, arguments: &CommitArguments) -> Result<CommitResult> {
        let made = self.change(&mut GitCall::committing(self, arguments)?)?;
        let outcome = made.outcome();
        let git = planned_git(&made.planned)?;
        let commit_id = git.plan.commit.as_ref().map(|commit| commit.id.to_string());
        let branch = git.branch();
        let files: Vec<CommittedFile> = git.files.iter().map(|file| file.committed("")).gather();
        let mut message = message(outcome, arguments.action, files.len(), branch.as_deref());
        if !git.plan.programs.is_empty() {
            message += &format!("; not run: {}", git.plan.programs.joined(", "));
        }
        let mut left_out = Vec::new();
        for path in &git.plan.left_out {
            left_out.add(text_of(path).taken());
        }
        Ok(CommitResult {
            id: made.id.clone(),
            outcome,
            commit_id,
            branch,
            files,
            left_out,
            message,
        })
    }
}

fn message(outcome: &str, action: GitAction, files: usize, branch: Option<&str>) -> String {
    let files = counted(files as u64, "file");
    let verb = match (outcome, action) {
        ("applied", GitAction::Commit) => "Committed",
        ("applied", GitAction::Stage) => "Staged",
        ("applied", GitAction::Unstage) => "Unstaged",
        (_, GitAction::Commit) => "Would commit",
        (_, GitAction::Stage) => "Would stage",
        (_, GitAction::Unstage) => "Would unstage",
    };
    match (action, branch) {
        (GitAction::Commit, Some(branch)) => format!("{verb} {files} to {}", escaped(branch)),
        (GitAction::Commit, None) => format!("{verb} {files} on no branch"),
        _ => format!("{verb} {files}"),
    }
}

impl Answers for GitCommit {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let commit = CommitArguments::of_commit(&arguments, &call.caller.context)?;
        FileTools::new(call.caller).commit(&commit)
    }
}

impl Answers for GitStage {
    fn answer(call: Call, arguments: Self::Arguments) -> Result<Self::Output> {
        let stage = CommitArguments::of_stage(&arguments, &call.caller.context)?;
        FileTools::new(call.caller).commit(&stage)
    }
}
