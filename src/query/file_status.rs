//! The rows of `git status`.

use super::run::{Context, Run};
use crate::error::Result;
use crate::git::{
    FileStatus, Repository, StatusFound, StatusOptions, StatusPart, StatusWalk, join,
};
use crate::pipeline::{Ordered, Source, Weigh, Window};
use crate::text::CancelToken;

/// A repository and the options of its status.
pub struct StatusQuery {
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub options: StatusOptions,
}

impl Weigh for StatusFound {
    fn bytes(&self) -> usize {
        // All are awaited at once.
        0
    }
}

impl StatusQuery {
    /// Starts the parts, each as a job.
    pub fn start(&self, context: &Context) -> Result<Ordered<StatusFound>> {
        context.read(|| parts(context.repository(&self.repo)?, self.options.clone(), context))
    }
}

fn parts(
    repository: Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Ordered<StatusFound>> {
    // The longest first.
    let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
    let run = Run::over(context, repository, jobs.len());
    let walk = StatusWalk::new(&run.repository, options, context.threads)?;
    let window = Window::unweighed(jobs.len());
    run.start(Source::new(jobs.into_iter()), window, |_| {
        let walk = walk.clone();
        Ok(move |part, _: &CancelToken<'_>| walk.find(part))
    })
}

/// Awaits all parts.
pub fn joined(parts: Ordered<StatusFound>) -> Result<Vec<FileStatus>> {
    join(parts.collect::<Result<_>>()?)
}

/// Returns the status of a repository.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    joined(parts(repository.clone(), options, context)?)
}
