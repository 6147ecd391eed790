//! What a call writes into a git directory, and the files that it shows of that.

use super::diff_text::git_diff;
use redline_base::budget::{Copied, Gather, Grow, Taken, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_edit::payload::{CommitFacts, PatchedFile, ShownText};
use redline_edit::{ChangedFile, ContentDiff, FileName, Side};
use redline_git::{GitPlan, PlannedPath, Version, blob_id};
use redline_journal::{ChangeKind, CommitRecord, FileChange};
use redline_text::{CancelToken, Engine};

/// A file of a commit, or of what is staged.
pub(super) struct GitFile {
    /// The path from the root of the repository.
    pub path: String,
    before: Option<(Version, String)>,
    after: Option<(Version, String)>,
    diff: ContentDiff,
}

/// What a call writes into a git directory.
pub(super) struct PlannedGit {
    /// What is written.
    pub plan: GitPlan,
    /// The repository, as it was named.
    repo: String,
    /// The sandbox and its root.
    sandbox: [String; 2],
    /// The path of the work tree beneath the root, with a trailing slash, or empty.
    prefix: String,
    /// The files that change.
    pub files: Vec<GitFile>,
}

impl GitFile {
    fn new(
        found: &PlannedPath,
        sandbox: &str,
        engine: &mut Engine,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let path = std::str::from_utf8(&found.path).map_err(|_| {
            Error::invalid_args(format!("the path {} is not UTF-8", quoted(&text_of(&found.path))))
                .with_hint("A person commits it with git")
        })?;
        let content = |side: &Option<Version>| {
            side.as_ref().map_or_else(Vec::new, |version| version.content.copied_vec())
        };
        let (old, new) = (content(&found.old), content(&found.new));
        let name = FileName { sandbox, relative: path };
        let diff = ContentDiff::new(engine, name, &old, &new, cancel)?;
        let side = |version: &Option<Version>| {
            version.clone().map(|version| (version.clone(), version.oid.to_string()))
        };
        Ok(Self { path: path.to_owned(), before: side(&found.old), after: side(&found.new), diff })
    }

    /// Returns both sides.
    pub fn sides(&self) -> ChangedFile<'_> {
        fn side((version, oid): &(Version, String)) -> Side<'_> {
            Side { content: &version.content, mode: version.mode.bits(), oid }
        }
        let (before, after) = (self.before.as_ref().map(side), self.after.as_ref().map(side));
        ChangedFile { path: &self.path, old_path: None, before, after }
    }

    /// Returns `create`, `update`, `delete` or `mode`.
    pub fn kind(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "create",
            (_, None) => "delete",
            (Some((before, _)), Some((after, _))) if before.oid == after.oid => "mode",
            _ => "update",
        }
    }

    /// Returns the numbers of added and removed lines.
    pub fn lines(&self) -> [u64; 2] {
        [self.diff.additions, self.diff.deletions]
    }
}

impl PlannedGit {
    /// Returns what is written and shown.
    ///
    /// # Errors
    /// `invalid_args` for a path that is not UTF-8; those of a comparison.
    pub fn new(
        plan: GitPlan,
        repo: &str,
        sandbox: [String; 2],
        prefix: String,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let engine = &mut Engine::default();
        let mut files = Vec::new();
        for found in &plan.files {
            cancel.check()?;
            files.add(GitFile::new(found, &sandbox[0], engine, cancel)?);
        }
        Ok(Self { plan, repo: repo.to_owned(), sandbox, prefix, files })
    }

    /// Returns both sides of each file.
    pub fn sides(&self) -> impl Iterator<Item = ChangedFile<'_>> {
        self.files.iter().map(GitFile::sides)
    }

    /// Returns what a payload lists of the files.
    pub fn shown(&self) -> Vec<PatchedFile> {
        let each = self.files.iter().map(|file| {
            let ChangedFile { path, before, after, .. } = file.sides();
            PatchedFile {
                path: path.to_owned(),
                old_path: None,
                kind: file.kind().to_owned(),
                lines_added: file.diff.additions,
                lines_removed: file.diff.deletions,
                base_oid: before.map(|side| side.oid.to_owned()),
                mode: before.map(|side| format!("{:o}", side.mode)),
                executable: after.is_some_and(Side::is_executable),
                // No file is written that a tool could run.
                run_by_tools: false,
            }
        });
        each.gather()
    }

    /// Returns the changes of all files as a git diff.
    pub fn diff(&self) -> ShownText {
        git_diff(self.files.iter().map(|file| (file.sides(), &file.diff)))
    }

    /// Returns what a payload says of it.
    ///
    /// # Errors
    /// Those of a digest.
    pub fn facts(&self, action: &str) -> Result<CommitFacts> {
        let branch = self.branch();
        let commit = self.plan.commit.as_ref();
        Ok(CommitFacts {
            action: action.to_owned(),
            branch: branch.filter(|_| commit.is_some()),
            parents: commit
                .map(|it| it.parents.iter().map(ToString::to_string).gather())
                .unwrap_or_default(),
            message: commit.map(|commit| commit.message.clone()),
            author: commit.map(|commit| commit.author.clone()),
            committer: commit.map(|commit| commit.committer.clone()),
            not_run: self.plan.programs.clone(),
            state: blob_id(&self.plan.basis)?,
        })
    }

    /// Returns the short name of the branch that HEAD names.
    pub fn branch(&self) -> Option<String> {
        let name = self.plan.branch()?;
        let short = name.strip_prefix(b"refs/heads/").unwrap_or(name);
        Some(text_of(short).taken())
    }

    /// Returns what the journal has of it.
    pub fn record(&self) -> CommitRecord {
        let commit = self.plan.commit.as_ref();
        CommitRecord {
            repo: self.repo.clone(),
            branch: self.branch(),
            commit_id: commit.map(|commit| commit.id.to_string()),
            parents: commit
                .map(|it| it.parents.iter().map(ToString::to_string).gather())
                .unwrap_or_default(),
            not_run: self.plan.programs.clone(),
        }
    }

    /// Returns the files as the journal lists them: without contents, which git has.
    pub fn recorded_files(&self) -> Vec<FileChange> {
        let [sandbox, root] = &self.sandbox;
        let each = self.files.iter().map(|file| FileChange {
            sandbox: sandbox.clone(),
            root: root.clone(),
            path: format!("{}{}", self.prefix, file.path),
            old_path: None,
            kind: Some(match file.kind() {
                "create" => ChangeKind::Create,
                "delete" => ChangeKind::Delete,
                "mode" => ChangeKind::Mode,
                _ => ChangeKind::Update,
            }),
            base: None,
            result: None,
        });
        each.gather()
    }
}
