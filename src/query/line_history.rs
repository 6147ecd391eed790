//! The commits that changed some lines of a file.

use super::commit::Commit;
use super::commits::CommitRange;
use super::rows::{Query, Rows};
use super::run::{Context, Needs, Run};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{LineLog, LineVersion, LinesAsked};
use redline_text::CancelToken;

/// Lines of a file and a range of commits.
pub struct LineHistoryQuery {
    /// The path of the file.
    pub file: String,
    /// The lines in the newest version.
    pub lines: LinesAsked,
    /// The newest version, or a range.
    pub range: CommitRange,
}

impl Query for LineHistoryQuery {
    type Group = (Commit, LineVersion);

    /// Starts the walk; a worker reads the fields of commits.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>> {
        context.read(|| {
            let CommitRange { range, repo, history, mailmap } = &self.range;
            let run = Run::open(context, repo, 1)?;
            let mailmap = needs.mailmap(&run.repository, mailmap)?;
            let file = run.repository.file_from_root(&self.file)?;
            let log = LineLog::new(&run.repository, &file, &self.lines, range, *history)?;
            run.start(Source::new(log), Window::of(limits::WINDOW_JOBS), |run| {
                let (mailmap, objects) = (mailmap.clone(), run.repository.objects());
                Ok(move |lines: LineVersion, cancel: &CancelToken<'_>| {
                    let (visited, mailmap) = (lines.commit.clone(), mailmap.as_deref());
                    Ok((Commit::read(visited, needs, &objects, mailmap, cancel)?, lines))
                })
            })
            .map(Rows::Workers)
        })
    }
}
