//! The rows of `git status`.

use super::rows::{Query, Rows};
use super::run::{Context, Needs, Run};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_base::pipeline::{Ordered, Source, Unweighed, Window};
use redline_git::{
    FileStatus, Repository, StatusFound, StatusOptions, StatusPart, StatusWalk, join,
};
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

    /// Starts the parts, each as a job; the rows need all of them.
    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Vec<FileStatus>>> {
        let options = self.options.clone();
        let parts = context.read(|| parts(context.repository(&self.repo)?, options, context))?;
        Ok(Rows::once(|| joined(parts)))
    }
}

/// The running parts.
type StatusParts = Ordered<Unweighed<StatusFound>>;

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
fn joined(parts: StatusParts) -> Result<Vec<FileStatus>> {
    join(parts.map(|part| part.map(|part| part.0)).try_gather()?)
}

/// Returns the status of a repository.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    joined(parts(repository.clone(), options, context)?)
}
