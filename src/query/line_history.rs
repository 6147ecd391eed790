//! The commits that changed some lines of a file.

use super::commit::Commit;
use super::context::Context;
use super::needs::Needs;
use super::rows::{Query, RowGroup, Rows};
use super::run::Run;
use crate::error::Result;
use crate::git::{HistoryOptions, LineLog, LineVersion, LinesAsked, Mailmaps};
use crate::limits;
use crate::pipeline::{Source, Weigh, Window};
use crate::text::CancelToken;

/// Lines of a file and a range of commits.
pub struct LineHistoryQuery {
    /// The path of the file.
    pub file: String,
    /// The lines in the newest version.
    pub lines: LinesAsked,
    /// The newest version, or a range.
    pub rev: String,
    /// The repository.
    pub repo: String,
    /// The mailmaps to apply to names.
    pub mailmap: Mailmaps,
    /// The selected commits of the range.
    pub options: HistoryOptions,
}

/// A commit with its change of the lines.
pub struct LinesVersion {
    commit: Commit,
    lines: LineVersion,
}

impl Weigh for LinesVersion {
    fn bytes(&self) -> usize {
        self.commit.bytes() + self.lines.bytes()
    }
}

impl RowGroup for LinesVersion {
    type Of<'a> = (&'a Commit, &'a LineVersion);

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> (&Commit, &LineVersion) {
        (&self.commit, &self.lines)
    }
}

impl Query for LineHistoryQuery {
    type Group = LinesVersion;

    /// Starts the walk; a worker reads the fields of commits.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<LinesVersion>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let mailmap = run.mailmap(needs, &self.mailmap)?;
            let file = run.repository.file_from_root(&self.file)?;
            let log = LineLog::new(&run.repository, &file, &self.lines, &self.rev, self.options)?;
            let rows = run.start(Source::new(log), Window::of(limits::WINDOW_JOBS), |run| {
                let (mailmap, objects) = (mailmap.clone(), run.repository.objects());
                Ok(move |lines: LineVersion, cancel: &CancelToken<'_>| {
                    let (visited, mailmap) = (lines.commit.clone(), mailmap.as_deref());
                    let commit = Commit::read(visited, needs, &objects, mailmap, cancel)?;
                    Ok(LinesVersion { commit, lines })
                })
            })?;
            Ok(rows.into())
        })
    }
}
