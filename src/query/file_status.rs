//! The rows of `git status`.

use super::run::{Context, Run};
use crate::error::Result;
use crate::git::{
    FileStatus, Repository, StatusFound, StatusOptions, StatusPart, StatusWalk, join,
};
use crate::pipeline::{Ordered, Source, Unweighed, Window};
use crate::text::CancelToken;

/// A repository and the options of its status.
pub struct StatusQuery {
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub options: StatusOptions,
}

/// The running parts.
pub type StatusParts = Ordered<Unweighed<StatusFound>>;

impl StatusQuery {
    /// Starts the parts, each as a job.
    pub fn start(&self, context: &Context) -> Result<StatusParts> {
        context.read(|| parts(context.repository(&self.repo)?, self.options.clone(), context))
    }
}

fn parts(repository: Repository, options: StatusOptions, context: &Context) -> Result<StatusParts> {
    // The longest first.
    let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
    let run = Run::over(context, repository, jobs.len());
    let walk = StatusWalk::new(&run.repository, options, context.threads)?;
    let window = Window::unweighed(jobs.len());
    run.start(Source::new(jobs.into_iter()), window, |_| {
        let walk = walk.clone();
        Ok(move |part, _: &CancelToken<'_>| walk.find(part).map(Unweighed))
    })
}

/// Awaits all parts.
pub fn joined(parts: StatusParts) -> Result<Vec<FileStatus>> {
    join(parts.map(|part| Ok(part?.0)).collect::<Result<_>>()?)
}

/// Returns the status of a repository.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    joined(parts(repository.clone(), options, context)?)
}
