//! The commit of each line of a file.

use super::blame::Blamed;
use super::context::Context;
use super::needs::Needs;
use super::rows::{Query, RowGroup, Rows};
use super::run::Run;
use crate::error::Result;
use crate::git::{Blame, BlameOptions, BlamedRun, BlamedVersion, CommitInfo, Mailmaps};
use crate::pipeline::{Source, Weigh, Window};
use crate::text::CancelToken;

/// A query for the blame of a file.
pub struct BlameQuery {
    /// The path of the file.
    pub file: String,
    /// The newest version.
    pub rev: String,
    /// The repository.
    pub repo: String,
    /// The mailmaps to apply to names.
    pub mailmap: Mailmaps,
    /// How lines are followed.
    pub options: BlameOptions,
}

/// The lines of a file.
pub struct BlamedLines {
    blamed: Blamed,
    /// The first row of each run.
    starts: Vec<usize>,
    rows: usize,
}

/// A line and its version.
#[derive(Clone, Copy)]
pub struct BlamedLine<'a> {
    lines: &'a BlamedLines,
    run: BlamedRun,
    /// The line's position in the run.
    offset: u32,
}

impl<'a> BlamedLine<'a> {
    /// Returns the line's number, from 1.
    pub fn line(self) -> u32 {
        self.run.line + self.offset + 1
    }

    /// Returns the line without its newline.
    pub fn content(self) -> &'a [u8] {
        self.lines.blamed.blame.line(self.run.line + self.offset)
    }

    /// Returns the line's number in its version, from 1.
    pub fn original_line(self) -> u32 {
        self.run.source + self.offset + 1
    }

    /// Returns its version.
    pub fn version(self) -> &'a BlamedVersion {
        self.lines.blamed.version(self.run)
    }

    /// Returns the fields of its commit.
    pub fn info(self) -> Option<&'a CommitInfo> {
        self.lines.blamed.info(self.run)
    }
}

impl BlamedLines {
    fn new(blamed: Blamed) -> Self {
        let mut rows = 0;
        let starts = blamed.blame.runs.iter().map(|run| {
            let start = rows;
            rows += run.lines as usize;
            start
        });
        let starts = starts.collect();
        Self { blamed, starts, rows }
    }
}

impl Weigh for BlamedLines {
    fn bytes(&self) -> usize {
        self.blamed.blame.content.len() + self.rows * size_of::<usize>()
    }
}

impl RowGroup for BlamedLines {
    type Of<'a> = BlamedLine<'a>;

    fn rows(&self) -> usize {
        self.rows
    }

    fn row(&self, index: usize) -> BlamedLine<'_> {
        let run = self.starts.partition_point(|&start| start <= index) - 1;
        let offset = (index - self.starts[run]) as u32;
        BlamedLine { lines: self, run: self.blamed.blame.runs[run], offset }
    }
}

impl Query for BlameQuery {
    type Group = BlamedLines;

    /// Starts the work, which is one job.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<BlamedLines>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let mailmap = run.mailmap(needs, &self.mailmap)?;
            let job = Source::new(std::iter::once(Ok(())));
            let rows = run.start(job, Window::unweighed(1), |run| {
                let repository = run.repository.clone();
                let (file, rev, options, mailmap) =
                    (self.file.clone(), self.rev.clone(), self.options.clone(), mailmap.clone());
                Ok(move |(), _: &CancelToken<'_>| {
                    let blame = Blame::of(&repository, &file, &rev, &options)?;
                    Blamed::new(blame, &repository, mailmap.as_deref(), needs).map(BlamedLines::new)
                })
            })?;
            Ok(rows.into())
        })
    }
}
