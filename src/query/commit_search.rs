//! The commits of a walk with matching changes, as in `git log -S` and `git log -G`.

use super::history_jobs::Jobs;
use super::run::{Context, Run};
use crate::error::Result;
use crate::git::{
    CommitMeasure, CommitMeasurer, Comparable, History, Pathspec, RenameOptions, Repository,
    Search, Visited,
};
use crate::limits;
use crate::pipeline::{Unweighed, Window};
use crate::text::CancelToken;

/// Returns the commits with matching changes of `paths`; the hidden commits of `history` must be
/// known.
pub fn commits_with(
    search: Search,
    repository: &Repository,
    paths: &[Pathspec],
    history: History,
    context: &Context,
) -> Result<impl Iterator<Item = Result<Visited>> + use<>> {
    let measure = CommitMeasure {
        renames: Some(RenameOptions::default()),
        search: Some(search),
        ..CommitMeasure::default()
    };
    let run = Run::over(context, repository.clone(), usize::MAX);
    let jobs = Jobs::source(history, History::next, limits::JOB_COMMITS);
    let work = run.start(jobs, Window::of(limits::WINDOW_HISTORY_JOBS), |run| {
        let mut measurer = CommitMeasurer::new(&run.repository, paths, &measure, None)?;
        Ok(move |job: Vec<Comparable>, cancel: &CancelToken<'_>| {
            let mut found = Vec::new();
            for commit in job {
                let mut changes = Vec::new();
                measurer.measure(&commit, &mut changes, cancel)?;
                if !changes.is_empty() {
                    let Comparable { id, tree, parents } = commit;
                    let parents = parents.into_iter().map(|(parent, _)| parent).collect();
                    found.push(Visited { id, tree, parents });
                }
            }
            Ok(Unweighed(found))
        })
    })?;
    Ok(work.flat_map(|found| match found {
        Ok(Unweighed(found)) => found.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }))
}
