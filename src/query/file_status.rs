//! The rows of `git status`.

use super::context::Context;
use super::run::Run;
use crate::error::Result;
use crate::git::{
    FileStatus, Repository, StatusFound, StatusOptions, StatusPart, StatusWalk, join,
};
use crate::pipeline::{Ordered, Poll, Source, Weigh, Window};
use crate::text::CancelToken;

/// A repository and the options of its status.
pub struct StatusQuery {
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub options: StatusOptions,
}

/// The parts of a status, which are computed in parallel.
pub struct StatusParts(Ordered<StatusFound>);

impl Weigh for StatusFound {
    fn bytes(&self) -> usize {
        // All are awaited at once.
        0
    }
}

impl StatusQuery {
    /// Starts the parts, each as a job.
    pub fn start(&self, context: &Context) -> Result<StatusParts> {
        context.read(|| {
            StatusParts::start(context.repository(&self.repo)?, self.options.clone(), context)
        })
    }
}

impl StatusParts {
    fn start(repository: Repository, options: StatusOptions, context: &Context) -> Result<Self> {
        // The longest first.
        let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
        let run = Run::over(context, repository, jobs.len());
        let walk = StatusWalk::new(&run.repository, options, context.threads)?;
        let window = Window::unweighed(jobs.len());
        let parts = run.start(Source::new(jobs.into_iter()), window, |_| {
            let walk = walk.clone();
            Ok(move |part, _: &CancelToken<'_>| walk.find(part))
        })?;
        Ok(Self(parts))
    }

    /// Awaits all parts.
    pub fn joined(mut self) -> Result<Vec<FileStatus>> {
        let mut found = Vec::new();
        loop {
            match self.0.poll(None) {
                Poll::Ready(part) => found.push(part?),
                Poll::Pending => {}
                Poll::End => return join(found),
            }
        }
    }
}

/// Returns the status of a repository.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    StatusParts::start(repository.clone(), options, context)?.joined()
}
