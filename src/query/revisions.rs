//! Two sides of a repository: opened, walked, and compared by workers.

use std::sync::Arc;

use super::context::Context;
use super::rows::CallersWalk;
use super::run::Run;
use crate::budget::Current;
use crate::error::{Error, Result, quoted, visible};
use crate::git::{
    Change, Changes, Comparison, PathChange, Pathspec, RenameOptions, Repository, Untracked,
    changes_of, combined_of, ends_of, nearest_paths,
};
use crate::limits;
use crate::pipeline::{Batches, Growth, Ordered, Source, Weigh, Window};
use crate::text::{CancelToken, Combined};

/// Digits of an id where it is shown to be read.
const SHOWN_DIGITS: usize = 12;

/// How changes are handed over whose work is small beside that.
const SMALL_JOBS: Growth = Growth { doubles_after: 1, most: 64 };

/// Two revisions of a repository, as given.
#[derive(Debug, Clone)]
pub struct Revisions {
    /// The old side, or a range.
    pub from: String,
    /// The new side; `None` where `from` is a range.
    pub to: Option<String>,
    /// The repository.
    pub repo: String,
    /// Whether the merge base of both is the old side.
    pub merge_base: bool,
    /// How untracked files of the work tree are treated.
    pub untracked: Untracked,
    /// Which files are compared.
    pub paths: Vec<Pathspec>,
    /// How renames are detected, if they are.
    pub renames: Option<RenameOptions>,
    /// How merges are shown, where against all parents at once.
    pub combined: Option<Combined>,
}

impl Revisions {
    /// Compares nothing with one side, of which all files are asked for.
    pub fn files_of(rev: String, repo: String, paths: Vec<Pathspec>) -> Self {
        Self {
            from: "EMPTY".to_owned(),
            to: Some(rev),
            repo,
            merge_base: false,
            untracked: Untracked::Ignored,
            paths,
            renames: None,
            combined: None,
        }
    }

    /// Takes what a tool was given.
    pub fn of_tool(
        from: String,
        to: Option<String>,
        repo: String,
        paths: &[String],
        renames: Option<RenameOptions>,
    ) -> Result<Self> {
        let paths = paths.iter().map(|path| Pathspec::parse(path)).collect::<Result<_>>()?;
        Ok(Self {
            from,
            to,
            repo,
            merge_base: false,
            untracked: Untracked::Ignored,
            paths,
            renames,
            combined: None,
        })
    }

    /// Returns the same for who asks for names and statuses alone: files that are not tracked are not looked at.
    #[must_use]
    pub fn names_only(&self) -> Self {
        // Renames are found by content.
        let is_read = self.renames.is_some() || self.untracked == Untracked::Ignored;
        Self { untracked: if is_read { self.untracked } else { Untracked::Named }, ..self.clone() }
    }

    /// Returns the same with a merge and its conflicts shown against all parents at once.
    #[must_use]
    pub fn combining(self, combined: Option<Combined>) -> Self {
        Self { combined, ..self }
    }

    /// Returns the same for all paths.
    #[must_use]
    pub fn of_all_paths(&self) -> Self {
        Self { paths: Vec::new(), ..self.clone() }
    }

    /// Opens the repository and resolves the revisions.
    pub fn open(&self, context: &Context) -> Result<Comparison> {
        let repository = context.repository(&self.repo)?;
        let (from, to) = (self.from.as_str(), self.to.as_deref());
        let comparison = match self.combined {
            None => Comparison::of(&repository, from, to, self.merge_base)?,
            Some(combined) => combined_of(&repository, from, to, self.merge_base, combined)?,
        };
        let comparison = comparison.with_threads(context.threads);
        comparison.with_untracked(self.untracked).with_paths(&self.paths)
    }

    /// Returns the names of both ends that hold whatever moves: the beginnings of the ids of commits, else their names.
    pub fn ends(&self, repository: &Repository) -> Result<[String; 2]> {
        let commits = ends_of(repository, &self.from, self.to.as_deref())?;
        let names = [Some(self.from.as_str()), self.to.as_deref()];
        let shown = |at: usize| match commits[at] {
            Some(id) => id.to_string()[..SHOWN_DIGITS].to_owned(),
            None => visible(names[at].unwrap_or("WORKTREE")),
        };
        Ok([shown(0), shown(1)])
    }

    /// Starts the walk alone, to be read on the caller's thread; `None` where access is limited, as that thread
    /// can open anything. `group` makes a result of each change.
    pub fn walk<G>(
        &self,
        context: &Context,
        group: fn(Change) -> G,
    ) -> Result<Option<CallersWalk<G>>> {
        if !context.access.is_unlimited() {
            return Ok(None);
        }
        let budget = context.budget.part();
        let _current = Current::enter(&budget);
        let changes =
            changes_of(&self.open(context)?.with_budget(Arc::clone(&budget)), self.renames)?;
        Ok(Some(CallersWalk::new(changes, budget, group)))
    }

    /// Starts the walk with workers: `make` returns the work of one of them.
    pub fn work<R, W>(
        &self,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        // The workers are started there, and so are restricted as well.
        context.read(|| self.work_on(&self.open(context)?, context, make))
    }

    /// Does the same as [`Self::work`] for work that is small beside handing it over: each worker takes some changes at
    /// a time.
    pub fn work_in_batches<R, W>(
        &self,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W> + Send,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Vec<Change>, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        context.read(|| {
            let comparison = self.open(context)?;
            self.start(
                &comparison,
                context,
                |changes| Source::new(Batches::new(changes, SMALL_JOBS)),
                make,
            )
        })
    }

    /// Starts the walk of what was opened.
    pub fn work_on<R, W>(
        &self,
        comparison: &Comparison,
        context: &Context,
        make: impl Fn(&Comparison) -> Result<W>,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        W: FnMut(Change, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        self.start(comparison, context, Source::new, make)
    }

    /// Starts the walk, of whose changes `jobs` makes what a worker takes at once.
    fn start<R, J, I, W>(
        &self,
        comparison: &Comparison,
        context: &Context,
        jobs: impl FnOnce(Changes) -> Source<I>,
        make: impl Fn(&Comparison) -> Result<W>,
    ) -> Result<Ordered<R>>
    where
        R: Weigh + Send + 'static,
        J: Send + 'static,
        I: Iterator<Item = Result<J>> + Send + 'static,
        W: FnMut(J, &CancelToken<'_>) -> Result<R> + Send + 'static,
    {
        let run = Run::over(context, comparison.repository().clone(), usize::MAX);
        let comparison = comparison.clone().with_budget(Arc::clone(&run.budget));
        let changes = changes_of(&comparison, self.renames)?;
        run.start(jobs(changes), Window::of(limits::WINDOW_JOBS), |_| make(&comparison))
    }

    /// Returns what is asked for beside the sides, as a text that tells it from others.
    pub fn options(&self) -> String {
        let has_untracked = self.untracked != Untracked::Ignored;
        let combined = self.combined.map_or_else(String::new, |form| format!(" {form:?}"));
        format!("{:?} {:?} {has_untracked}{combined}", self.paths, self.renames)
    }

    /// Returns what became of one file; `asker` and `lister` are what messages call the function that
    /// asks for a file and the one that lists them.
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
        Err(match nearest_paths(sides, file)?.as_slice() {
            [] => error.with_hint(format!(
                "Paths start at the root of the repository; {lister} lists them"
            )),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        })
    }

    /// Returns both ends for a message.
    fn shown(&self) -> String {
        match &self.to {
            Some(to) => format!("{} or {}", quoted(&self.from), quoted(to)),
            None => quoted(&self.from),
        }
    }
}
