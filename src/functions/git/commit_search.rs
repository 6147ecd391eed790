//! The commits of a walk with a change that is looked for, as `git log -S` and `git log -G` list them.

use std::sync::Arc;

use super::history_jobs::Jobs;
use crate::budget::{Budget, Permits};
use crate::error::{Error, Result};
use crate::functions::context::execution_context::ExecutionContext;
use crate::git::{
    CommitMeasure, CommitMeasurer, Comparable, History, Measure, Pathspec, RenameOptions,
    Repository, Search, Visited,
};
use crate::limits;
use crate::pipeline::{Ordered, Poll, Weigh, Window};
use crate::text::{CancelToken, DiffOptions};

/// The commits of some that have such a change.
struct Found(Vec<Visited>);

impl Weigh for Found {
    fn bytes(&self) -> usize {
        self.0.len() * size_of::<Visited>()
    }
}

/// Returns the commits whose changes of `paths` are looked for; `history` must know what it leaves out.
pub fn commits_with(
    search: Search,
    repository: &Repository,
    paths: &[Pathspec],
    history: History,
    execution: &ExecutionContext,
    budget: Arc<Budget>,
) -> Result<impl Iterator<Item = Result<Visited>> + use<>> {
    let measure = CommitMeasure {
        info: false,
        changes: Measure::default(),
        renames: Some(RenameOptions::default()),
        diff: DiffOptions::default(),
        search: Some(search),
    };
    let worker = || {
        let budget = Arc::clone(&budget);
        let of_measurer = Arc::clone(&budget);
        let mut measurer = CommitMeasurer::new(repository, paths, &measure, None, of_measurer)?;
        Ok(move |job: Vec<Comparable>| {
            let (mut found, cancel) = (Vec::new(), CancelToken::of(&budget));
            for commit in job {
                let mut changes = Vec::new();
                measurer.measure(&commit, &mut changes, &cancel)?;
                if !changes.is_empty() {
                    let Comparable { id, tree, parents } = commit;
                    let parents = parents.into_iter().map(|(parent, _)| parent).collect();
                    found.push(Visited { id, tree, parents });
                }
            }
            Ok::<_, Error>(Found(found))
        })
    };
    let permits = Permits::take(execution.threads());
    let workers = (0..permits.count()).map(|_| worker()).collect::<Result<_>>()?;
    let jobs = Jobs::source(history, History::next);
    let window = Window { jobs: limits::WINDOW_HISTORY_JOBS, bytes: limits::WINDOW_BYTES };
    let mut work = Ordered::start(jobs, workers, window, Arc::clone(&budget), permits)?;
    let mut ready = Vec::new().into_iter();
    Ok(std::iter::from_fn(move || {
        loop {
            if let Some(commit) = ready.next() {
                return Some(Ok(commit));
            }
            match work.poll(None) {
                Poll::Ready(Ok(Found(found))) => ready = found.into_iter(),
                Poll::Ready(Err(error)) => return Some(Err(error)),
                Poll::Pending | Poll::End => return None,
            }
        }
    }))
}
