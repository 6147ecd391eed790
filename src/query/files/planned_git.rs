//! What a call writes into a git directory, and the files that it shows of that.

use std::collections::BTreeMap;

use super::diff_text::{committed, git_diff};
use redline_base::budget::{Copied, CopiedText, Gather, Grow, GrowMap, Taken, text_of};
use redline_base::error::{Error, Result, quoted};
use redline_edit::payload::{CommitFacts, PatchedFile, ShownText};
use redline_edit::{ChangedFile, ContentDiff, FileName, Side};
use redline_git::{GitPlan, PlannedPath, StagedVersion, Version, blob_id};
use redline_journal::{ChangeKind, CommitRecord, FileChange, StagedRecord};
use redline_text::{CancelToken, Engine};
use redline_tools::{CommittedFile, UndoneFile};

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
        let path = utf8(&found.path, "commits")?;
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

    /// Returns what an answer says of it; `root` is before its path.
    pub fn committed(&self, root: &str) -> CommittedFile {
        let path = format!("{root}{}", self.path);
        committed(path, self.sides().kind(), &self.sides(), &self.diff)
    }

    /// Returns what an answer says of it where an operation was taken back.
    pub fn undone(&self, root: &str) -> UndoneFile {
        let unified_diff = self.diff.unified_diff.copied_text();
        UndoneFile { file: self.committed(root), unified_diff }
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

    /// Returns the path of the work tree with its sandbox, and a trailing slash.
    pub fn root_shown(&self) -> String {
        format!("{}/{}", self.sandbox[0], self.prefix)
    }

    /// Returns both sides of each file.
    pub fn sides(&self) -> impl Iterator<Item = ChangedFile<'_>> {
        self.files.iter().map(GitFile::sides)
    }

    /// Returns what a payload lists of the files.
    pub fn shown(&self) -> Vec<PatchedFile> {
        // No file is written that a tool could run.
        let shown =
            |file: &GitFile| PatchedFile::of(&file.sides(), file.sides().kind(), &file.diff, false);
        self.files.iter().map(shown).gather()
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
            branch: branch.filter(|_| self.plan.moved().is_some()),
            parents: match (commit, self.plan.moved()) {
                (Some(commit), _) => commit.parents.iter().map(ToString::to_string).gather(),
                (None, Some((_, to))) => vec![to.to_string()],
                (None, None) => Vec::new(),
            },
            leaves: match (commit, self.plan.moved()) {
                (None, Some((from, _))) => from.map(|from| from.to_string()),
                _ => None,
            },
            message: commit.map(|commit| commit.message.copied_text()),
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
        let ([sandbox, root], moved) = (&self.sandbox, self.plan.moved());
        let commit = self.plan.commit.as_ref();
        CommitRecord {
            repo: self.repo.clone(),
            sandbox: sandbox.clone(),
            root: root.clone(),
            branch: self.branch(),
            commit_id: moved.map(|(_, to)| to.to_string()),
            before: moved.and_then(|(from, _)| from).map(|from| from.to_string()),
            parents: commit.map(|it| it.parents.iter().map(ToString::to_string).gather()),
            not_run: self.plan.programs.clone(),
        }
    }

    /// Returns the files as the journal lists them: without contents, which git has, and with their
    /// versions in the index where these change.
    ///
    /// # Errors
    /// `invalid_args` for a path that is not UTF-8.
    pub fn recorded_files(&self) -> Result<Vec<FileChange>> {
        let mut found = BTreeMap::new();
        for file in &self.files {
            let kind = match file.sides().kind() {
                "create" => ChangeKind::Create,
                "delete" => ChangeKind::Delete,
                "mode" => ChangeKind::Mode,
                _ => ChangeKind::Update,
            };
            found.put(file.path.as_str(), self.recorded_file(&file.path, kind));
        }
        for change in &self.plan.staged {
            let path = utf8(&change.path, "commits")?;
            let texts =
                |versions: &[StagedVersion]| versions.iter().map(ToString::to_string).gather();
            let file = found.slot(path);
            let file = file.or_insert_with(|| self.recorded_file(path, ChangeKind::Update));
            let (old, new) = (texts(&change.old), texts(&change.new));
            file.staged = Some(StagedRecord { old, new });
        }
        Ok(found.into_values().gather())
    }

    fn recorded_file(&self, path: &str, kind: ChangeKind) -> FileChange {
        let [sandbox, root] = &self.sandbox;
        FileChange {
            sandbox: sandbox.clone(),
            root: root.clone(),
            path: format!("{}{path}", self.prefix),
            old_path: None,
            kind: Some(kind),
            base: None,
            result: None,
            staged: None,
        }
    }
}

/// Returns a path of git, which must be UTF-8; `does` is what a person does with another one.
pub(super) fn utf8<'p>(path: &'p [u8], does: &str) -> Result<&'p str> {
    std::str::from_utf8(path).map_err(|_| {
        Error::invalid_args(format!("the path {} is not UTF-8", quoted(&text_of(path))))
            .with_hint(format!("A person {does} it with git"))
    })
}
