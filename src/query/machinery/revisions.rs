//! Two sides of a repository: opens, walks and compares them.

use std::sync::Arc;

use crate::machinery::rows::{CallersWalk, Rows};
use crate::machinery::run::{Context, Run};
use redline_base::budget::{Current, Gather, Weigh};
use redline_base::error::{Error, Result, quoted, visible};
use redline_base::limits;
use redline_base::pipeline::{Batches, Growth, Source, Unweighed, Window};
use redline_git::{
    Change, Changes, Comparison, PathChange, Pathspec, RenameOptions, Repository, Untracked,
    changed_files, nearest_paths,
};
use redline_text::{CancelToken, Combined, DiffOptions};

/// The digits of a displayed id.
const SHOWN_DIGITS: usize = 12;

/// The batches of changes with little work each.
const SMALL_JOBS: Growth = Growth { doubles_after: 1, most: 64 };

/// The given revisions of a repository, and how they are compared.
#[derive(Debug, Clone, Default)]
pub struct Revisions {
    /// The old side, or a range.
    pub from: String,
    /// The new side; `None` if `from` is a range.
    pub to: Option<String>,
    /// The repository.
    pub repo: String,
    /// Whether the merge base of both is the old side.
    pub merge_base: bool,
    /// How untracked files of the work tree are treated.
    pub untracked: Untracked,
    /// The selected files.
    pub paths: Vec<Pathspec>,
    /// The options of rename detection, if any.
    pub renames: Option<RenameOptions>,
    /// How merges are shown, if compared with all parents at once.
    pub combined: Option<Combined>,
    /// How lines are compared.
    pub diff: DiffOptions,
}

impl Revisions {
    /// Compares all files of two sides by the default options; the new one is `None` where `from`
    /// is a range.
    pub fn between(from: String, to: Option<String>, repo: String) -> Self {
        Self { from, to, repo, ..Self::default() }
    }

    /// Returns the same for callers that need only names and statuses: untracked files are not
    /// read.
    #[must_use]
    pub fn names_only(&self) -> Self {
        // Renames are found by content.
        let is_read = self.renames.is_some() || self.untracked == Untracked::Ignored;
        Self { untracked: if is_read { self.untracked } else { Untracked::Named }, ..self.clone() }
    }

    /// Returns the same for all paths.
    #[must_use]
    pub fn of_all_paths(&self) -> Self {
        Self { paths: Vec::new(), ..self.clone() }
    }

    /// Returns the same of a range, in the same repository.
    #[must_use]
    pub fn of_range(&self, range: &str) -> Self {
        let (paths, renames) = (self.paths.clone(), self.renames);
        Self { paths, renames, ..Self::between(range.to_owned(), None, self.repo.clone()) }
    }

    /// Opens the repository and resolves the revisions.
    pub fn open(&self, context: &Context) -> Result<Comparison> {
        self.sides(&context.repository(&self.repo)?)
    }

    /// Resolves the revisions.
    fn sides(&self, repository: &Repository) -> Result<Comparison> {
        let (from, to) = (self.from.as_str(), self.to.as_deref());
        Comparison::of(repository, from, to, self.merge_base, self.combined)?
            .with_untracked(self.untracked)
            .with_paths(&self.paths)
    }

    /// Returns permanent names of both ends of a comparison: abbreviated ids of commits, else their
    /// names.
    pub fn ends(&self, comparison: &Comparison) -> Result<[String; 2]> {
        let commits = comparison.commits()?;
        let names = [Some(self.from.as_str()), self.to.as_deref()];
        let id = |id: redline_git::Oid| id.to_string()[..SHOWN_DIGITS].to_owned();
        let shown = |at: usize| match commits[at] {
            Some(commit) => id(commit),
            None if names[at].is_some_and(|name| name.ends_with("^!")) => "EMPTY".to_owned(),
            None => visible(names[at].unwrap_or("WORKTREE")),
        };
        // A merge is compared with all of its parents.
        let others = comparison.other_parents.iter().map(|other| format!(", {}", id(*other)));
        Ok([shown(0) + &others.gather::<String>(), shown(1)])
    }

    /// Returns both sides as they were named; one that was left out by its name.
    pub fn asked(&self) -> String {
        match &self.to {
            Some(to) => format!("{}..{to}", self.from),
            None if self.from.contains("..") => self.from.clone(),
            None => format!("{}..WORKTREE", self.from),
        }
    }

    /// Starts only the walk, on the caller's thread; `None` if access is limited, as that thread
    /// can open anything. `group` makes a result of each change.
    pub fn walk<G>(&self, context: &Context, group: fn(Change) -> G) -> Result<Option<Rows<G>>> {
        if !context.access.is_unlimited() {
            return Ok(None);
        }
        let budget = context.budget.part();
        let _current = Current::enter(&budget);
        let changes =
            changed_files(&self.open(context)?.with_budget(Arc::clone(&budget)), self.renames)?;
        Ok(Some(Rows::Walk(CallersWalk { changes, budget, group })))
    }

    /// Starts the walk with workers; `make` returns the work of one worker.
    pub fn work<R, W>(
        &self,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Rows<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        self.start(context, Source::new, make)
    }

    /// Does the same as [`Self::work`] for small work: each worker takes several changes at a time.
    pub fn work_in_batches<R, W>(
        &self,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Rows<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Vec<Change>, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        self.start(context, |changes| Source::new(Batches::new(changes, SMALL_JOBS)), make)
    }

    /// Starts the walk of an opened comparison, for a caller that keeps all results.
    pub fn work_on<R, W>(
        &self,
        comparison: &Comparison,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W>,
    ) -> Result<impl Iterator<Item = Result<R>>>
    where
        R: Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        let run = Run::over(context, comparison.repository().clone(), usize::MAX);
        let comparison = comparison.clone().with_budget(Arc::clone(&run.budget));
        let changes = Source::new(changed_files(&comparison, self.renames)?);
        let work = run.start(changes, Window::unweighed(limits::WINDOW_JOBS), |_| {
            let mut work = make(&comparison)?;
            Ok(move |change, cancel: &CancelToken<'_>| work(change, cancel).map(Unweighed))
        })?;
        Ok(work.map(|found| Ok(found?.0)))
    }

    /// Opens the comparison and starts its walk; `jobs` groups its changes into jobs.
    fn start<R, J, I, W>(
        &self,
        context: &Context,
        jobs: impl FnOnce(Changes) -> Source<I> + Send,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Rows<R>>
    where
        R: Weigh + Send + 'static,
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        W: FnMut(J, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        // The workers are started on the restricted thread, and so are restricted as well.
        context.read(move || {
            let run = Run::open(context, &self.repo, usize::MAX)?;
            let comparison = self.sides(&run.repository)?;
            let jobs = jobs(changed_files(&comparison, self.renames)?);
            run.start(jobs, Window::of(limits::WINDOW_JOBS), |_| make(&comparison))
                .map(Rows::Workers)
        })
    }

    /// Returns a text that identifies the options besides the sides.
    pub fn options(&self) -> String {
        let has_untracked = self.untracked != Untracked::Ignored;
        let combined = self.combined.map_or_else(String::new, |form| format!(" {form:?}"));
        format!("{:?} {:?} {has_untracked}{combined} {:?}", self.paths, self.renames, self.diff)
    }

    /// Returns the change of one file; `asker` and `lister` are the names in messages of the
    /// function that takes a file and of the one that lists files.
    pub fn file(
        &self,
        sides: &Comparison,
        file: &str,
        [asker, lister]: [&str; 2],
    ) -> Result<Vec<Change>> {
        let file = &sides.repository().file_from_root(file)?;
        let is_directory = match PathChange::of(sides, file.as_bytes())? {
            PathChange::File(changes) => return Ok(changes),
            found => found == PathChange::Directory,
        };
        let shown = quoted(file);
        if is_directory {
            return Err(Error::not_found(format!(
                "{shown} is a directory, and {asker} wants a file"
            ))
            .with_hint(format!("{lister} lists the changed files below it")));
        }
        let error = Error::not_found(format!("no file {shown} in {}", self.shown()));
        let hint = format!("Paths start at the root of the repository; {lister} lists them");
        Err(error.near(&nearest_paths(sides, file)?).or_hint(hint))
    }

    /// Returns both ends for a message.
    fn shown(&self) -> String {
        match &self.to {
            Some(to) => format!("{} or {}", quoted(&self.from), quoted(to)),
            None => quoted(&self.from),
        }
    }
}

/// Reads a number of unchanged lines around a change; `None` for all, which is -1.
///
/// # Errors
/// `invalid_args` for a smaller one.
pub fn context_lines(name: &str, given: Option<i64>) -> Result<Option<u32>> {
    match given {
        None => Ok(Some(DiffOptions::CONTEXT)),
        Some(-1) => Ok(None),
        Some(lines @ 0..) => Ok(Some(u32::try_from(lines).unwrap_or(u32::MAX))),
        Some(lines) => Err(Error::invalid_args(format!("{name} is {lines}"))
            .with_hint("Give 0 or more lines, or -1 for the whole file")),
    }
}
