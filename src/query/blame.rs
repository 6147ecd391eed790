//! The commit of each line: of one file, or in runs of lines of all files of a revision.

use std::collections::HashMap;
use std::sync::Arc;

use super::commit_columns::{
    OfCommit, author_date, author_email, author_name, author_offset, subject,
};
use super::revisions::Revisions;
use super::rows::{Query, RowGroup, Rows};
use super::run::{Context, Run, mailmap_of};
use redline_base::budget::{GrowMap, TryGather, Weigh};
use redline_base::error::{Error, Result};
use redline_base::pipeline::{Source, Window};
use redline_git::{
    Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion, Change, CommitInfo, Mailmap,
    Mailmaps, Oid, Pathspec, Repository,
};
use redline_rows::{Col, Has, Need, Needs, Part, Row, bigint, boolean, varchar};
use redline_text::CancelToken;

/// A blame, and the commits of its versions.
pub struct Blamed {
    /// The version of each line.
    pub blame: Blame,
    /// The fields of each version's commit, if needed.
    infos: Vec<Option<Arc<CommitInfo>>>,
}

impl Blamed {
    /// Reads the needed fields of a blame's commits.
    pub fn new(
        blame: Blame,
        repository: &Repository,
        mailmap: Option<&Mailmap>,
        needs: Needs,
    ) -> Result<Self> {
        let versions = if needs.has(Need::Info) { blame.versions.as_slice() } else { &[] };
        let (objects, cancel) = (repository.objects(), repository.cancel());
        let mut known: HashMap<Oid, Arc<CommitInfo>> = HashMap::new();
        let mut read = |id: Oid| -> Result<Arc<CommitInfo>> {
            if let Some(info) = known.get(&id) {
                return Ok(Arc::clone(info));
            }
            let info = Arc::new(CommitInfo::read(&objects.commit(&id)?, mailmap, &cancel)?);
            known.put(id, Arc::clone(&info));
            Ok(info)
        };
        let infos = versions.iter().map(|version| version.commit.map(&mut read).transpose());
        Ok(Self { infos: infos.try_gather::<_>()?, blame })
    }

    /// Returns approximately how many bytes it takes in memory.
    fn bytes(&self) -> usize {
        self.blame.content.len() + self.blame.runs.len() * size_of::<BlamedRun>()
    }
}

/// Consecutive lines from one commit.
#[derive(Clone, Copy)]
pub struct BlamedLines<'a> {
    /// The blame of their file.
    pub blamed: &'a Blamed,
    /// The lines.
    pub run: BlamedRun,
}

impl<'a> BlamedLines<'a> {
    /// Returns the first line without its newline.
    pub fn content(self) -> &'a [u8] {
        self.blamed.blame.line(self.run.line)
    }

    /// Returns their version.
    pub fn version(self) -> &'a BlamedVersion {
        &self.blamed.blame.versions[self.run.version]
    }

    /// Returns the fields of their commit.
    pub fn info(self) -> Option<&'a CommitInfo> {
        self.blamed.infos.get(self.run.version)?.as_deref()
    }
}

/// A query for the blame of a file.
pub struct FileBlameQuery {
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

/// The lines of a file; the runs follow one another without gaps.
pub struct FileBlamed(Blamed);

impl Weigh for FileBlamed {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

impl RowGroup for FileBlamed {
    type Of<'a> = BlamedLines<'a>;

    fn rows(&self) -> usize {
        let runs = &self.0.blame.runs;
        let ends = runs.first().zip(runs.last());
        ends.map_or(0, |(first, last)| (last.line + last.lines - first.line) as usize)
    }

    fn row(&self, index: usize) -> BlamedLines<'_> {
        let runs = &self.0.blame.runs;
        let line = runs[0].line + index as u32;
        let run = runs[runs.partition_point(|run| run.line <= line) - 1];
        let source = run.source + (line - run.line);
        BlamedLines { blamed: &self.0, run: BlamedRun { line, lines: 1, source, ..run } }
    }
}

impl Query for FileBlameQuery {
    type Group = FileBlamed;
    type Row = FileBlamed;

    /// Starts the work, which is one job.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<FileBlamed>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let mailmap = mailmap_of(needs, &run.repository, &self.mailmap)?;
            let job = Source::new(std::iter::once(Ok(())));
            run.start(job, Window::unweighed(1), |run| {
                let repository = run.repository.clone();
                let (file, rev, options, mailmap) =
                    (self.file.clone(), self.rev.clone(), self.options.clone(), mailmap.clone());
                Ok(move |(), _: &CancelToken<'_>| {
                    let blame = Blame::of(&repository, &file, &rev, &options)?;
                    Blamed::new(blame, &repository, mailmap.as_deref(), needs).map(FileBlamed)
                })
            })
            .map(Rows::Workers)
        })
    }
}

/// A query for the blame of many files.
pub struct TreeBlameQuery {
    /// The newest versions.
    pub rev: String,
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub paths: Vec<Pathspec>,
    /// The mailmaps to apply to names.
    pub mailmap: Mailmaps,
    /// How lines are followed.
    pub options: BlameOptions,
}

/// The runs of lines of a file.
pub struct TreeBlamed {
    path: Vec<u8>,
    blamed: Blamed,
}

impl Weigh for TreeBlamed {
    fn bytes(&self) -> usize {
        self.blamed.bytes()
    }
}

impl RowGroup for TreeBlamed {
    /// The path of the file, and some of its lines.
    type Of<'a> = (&'a [u8], BlamedLines<'a>);

    fn rows(&self) -> usize {
        self.blamed.blame.runs.len()
    }

    fn row(&self, index: usize) -> (&[u8], BlamedLines<'_>) {
        let run = self.blamed.blame.runs[index];
        (&self.path, BlamedLines { blamed: &self.blamed, run })
    }
}

impl Query for TreeBlameQuery {
    type Group = TreeBlamed;
    type Row = TreeBlamed;

    /// Starts the work, with one job for each file.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<TreeBlamed>> {
        let files = Revisions {
            paths: self.paths.clone(),
            ..Revisions::between("EMPTY".to_owned(), Some(self.rev.clone()), self.repo.clone())
        };
        files.work(context, |comparison| {
            let repository = comparison.repository().clone();
            let mailmap = mailmap_of(needs, &repository, &self.mailmap)?;
            let (rev, options, mut cache) =
                (self.rev.clone(), self.options.clone(), BlameCache::default());
            Ok(move |change: Change, _: &CancelToken<'_>| {
                let path = change.path;
                let is_file = change.new.is_some_and(|entry| !entry.mode.is_submodule());
                let blame = match std::str::from_utf8(&path) {
                    Ok(path) if is_file => {
                        Blame::of_one(&repository, path, &rev, &options, &mut cache)?
                    }
                    Ok(_) => Blame::nothing(),
                    Err(_) => {
                        return Err(Error::invalid_args(
                            "a file has a name that is not valid UTF-8",
                        )
                        .with_hint("Leave it out with paths"));
                    }
                };
                let blamed = Blamed::new(blame, &repository, mailmap.as_deref(), needs)?;
                Ok(TreeBlamed { path, blamed })
            })
        })
    }
}

impl Row for TreeBlamed {
    type Of<'a> = (&'a [u8], BlamedLines<'a>);

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |(path, _), out| out.text(path)),
        bigint("first_line", "The number of the first line, from 1", |(_, lines)| {
            (i64::from(lines.run.line) + 1).into()
        }),
        bigint("lines", "Number of lines", |(_, lines)| lines.run.lines.into()),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<BlamedCommit>());
}

impl Has<BlamedCommit> for TreeBlamed {
    fn part<'a>(row: Self::Of<'a>) -> BlamedLines<'a> {
        row.1
    }
}

/// The commit of some lines.
pub struct BlamedCommit;

impl Row for BlamedCommit {
    type Of<'a> = BlamedLines<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("commit_id", "The id of the commit; NULL for what is not committed", |row, out| {
            out.text(row.version().commit.map(|id| id.to_string()))
        }),
        author_name(),
        author_email(),
        author_date(),
        author_offset(),
        subject("The subject of the commit"),
        varchar("original_path", "The path of the file in that commit", |row, out| {
            out.text(row.version().path.as_slice())
        }),
        bigint("original_line", "The number of the first line in that version, from 1", |row| {
            (i64::from(row.run.source) + 1).into()
        }),
        boolean(
            "is_boundary",
            "Whether the history ends here: at a root commit, or at the end of the range",
            |row| Some(row.version().is_boundary),
        ),
    ];
}

impl OfCommit for BlamedCommit {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.info()
    }
}

impl Row for FileBlamed {
    type Of<'a> = BlamedLines<'a>;

    const OWN: &'static [Col<Self>] = &[
        bigint("line", "The line's number, from 1", |row| (i64::from(row.run.line) + 1).into()),
        varchar("content", "The line without its newline", |row, out| out.text(row.content())),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<BlamedCommit>());
}

impl Has<BlamedCommit> for FileBlamed {
    fn part<'a>(row: Self::Of<'a>) -> BlamedLines<'a> {
        row
    }
}
