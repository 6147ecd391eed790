//! The commits that changed some lines of a file.

use super::commit::Commit;
use super::commit_columns::CommitThen;
use super::commits::CommitRange;
use super::rows::{Query, Rows};
use super::run::{Context, Run, mailmap_of};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{LineLog, LineVersion, LinesAsked};
use redline_rows::{Col, Needs, Row, bigint, varchar};
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
    type Row = CommitThen<LinesThere>;

    /// Starts the walk; a worker reads the fields of commits.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Self::Group>> {
        context.read(|| {
            let CommitRange { range, repo, history, mailmap } = &self.range;
            let run = Run::open(context, repo, 1)?;
            let mailmap = mailmap_of(needs, &run.repository, mailmap)?;
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

/// Lines of a file at a commit.
pub struct LinesThere;

impl Row for LinesThere {
    type Of<'a> = &'a LineVersion;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "The path of the file there", |row, out| {
            out.text(row.path.as_slice())
        }),
        bigint("first_line", "The first of the lines there, from 1", |row| row.first_line.into()),
        bigint("last_line", "The last of the lines there", |row| row.last_line.into()),
        varchar(
            "patch",
            "The commit's change of the lines, as git log -L prints it",
            |row, out| out.text(row.patch.as_slice()),
        ),
    ];
}
