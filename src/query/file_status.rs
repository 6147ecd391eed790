//! The rows of `git status`.

use super::rows::{Query, Rows};
use super::run::{Context, Needs, Run};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_base::pipeline::{Source, Unweighed, Window};
use redline_git::{FileStatus, Repository, StatusOptions, StatusPart, StatusWalk, join};
use redline_text::CancelToken;

/// A repository and the options of its status.
pub struct StatusQuery {
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub options: StatusOptions,
}

impl Query for StatusQuery {
    type Group = Vec<FileStatus>;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Vec<FileStatus>>> {
        context.read(|| {
            let repository = context.repository(&self.repo)?;
            status(&repository, self.options.clone(), context).map(|found| Rows::Once(Some(found)))
        })
    }
}

/// Returns the status of a repository: its rows need all parts, each of which is a job.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    // The longest first.
    let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
    let run = Run::over(context, repository.clone(), jobs.len());
    let walk = StatusWalk::new(&run.repository, options, context.threads)?;
    let window = Window::unweighed(jobs.len());
    let parts = run.start(Source::new(jobs.into_iter()), window, |_| {
        let walk = walk.clone();
        Ok(move |part, _: &CancelToken<'_>| walk.find(part).map(Unweighed))
    })?;
    join(parts.map(|part| part.map(|part| part.0)).try_gather()?)
}
