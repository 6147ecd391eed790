//! The commit of each line: of one file, or in runs of lines of all files of a revision.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Question;
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run, mailmap_of};
use crate::params::range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, mailmaps};
use crate::params::{FILE, IGNORE_WHITESPACE, PATHS, REPO};
use crate::questions::commit_columns::{
    OfCommit, author_date, author_email, author_name, author_offset, subject,
};
use redline_base::budget::{CopiedText, Gather, GrowMap, Joined, TryGather, Weigh};
use redline_base::error::{Error, Result};
use redline_base::pipeline::{Source, Window};
use redline_git::{
    Blame, BlameCache, BlameOptions, BlamedRun, BlamedVersion, Change, CommitInfo, Mailmap,
    Mailmaps, Oid, Pathspec, Repository,
};
use redline_rows::params::{
    Args, Asked, Flag, Given, Kind, Maybe, Name, Param, Value, flag, number, optional, required,
};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Has, Need, Needs, Part, Row, Type, bigint, boolean,
    bounded, fields, joined, varchar,
};
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

const NEWEST_VERSION: Param<Name> = required(
    "rev",
    "The newest version: a revision, INDEX or WORKTREE; a range a..b follows no line beyond a",
);

/// Commits to ignore.
pub const IGNORE_REVS: Param<Maybe<IgnoredRevisions>> = optional(
    "ignore_revs",
    "Commits whose changes are passed on to the lines they were made from, as git's --ignore-rev",
);
/// Whether moved lines are followed.
pub const MOVES: Param<Flag> =
    flag("moves", false, "Follow lines that were moved within the file, as git's -M");
/// How far copied lines are followed.
pub const COPIES: Param<CopySearch> = number(
    "copies",
    0,
    "Follow lines that were copied from other files: how often git's -C is given, 0 to 3",
);

const LINES: Param<Maybe<LineRange>> =
    optional("lines", "The first and the last line, from 1; NULL for all");

/// How lines are followed, and their commits shown: after its own, the parameters of each blame.
const FOLLOWING: &[Field] = fields![
    IGNORE_WHITESPACE,
    FIRST_PARENT,
    SINCE,
    MAILMAP,
    MAILMAP_FILE,
    IGNORE_REVS,
    MOVES,
    COPIES,
];

impl Question for FileBlameQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Lists the lines of a file, each with the commit it is from, like git blame",
        example: "SELECT line, author_name, subject, content FROM file_blame('README.md', 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, NEWEST_VERSION, REPO];
    const NAMED: &'static [Field] = joined!(Field: fields![LINES], FOLLOWING);
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_blame_list('README.md', 'HEAD', '.', {'lines': [1, 2]}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            file: args.owned(FILE)?,
            rev: args.owned(NEWEST_VERSION)?,
            repo: args.owned(REPO)?,
            mailmap: mailmaps(args)?,
            options: BlameOptions { lines: args.get(LINES)?, ..blame_options(args)? },
        })
    }
}

/// Returns the options of following lines.
pub fn blame_options(args: Args<'_>) -> Result<BlameOptions> {
    Ok(BlameOptions {
        lines: None,
        whitespace: args.get(IGNORE_WHITESPACE)?,
        first_parent: args.get(FIRST_PARENT)?,
        since: args.get(SINCE)?,
        ignore: args.get(IGNORE_REVS)?.unwrap_or_default(),
        moves: args.get(MOVES)?,
        copies: args.get(COPIES)?,
    })
}

/// The first and the last line of a range.
struct LineRange;

impl Kind for LineRange {
    const TYPE: Type = Type::List(&Type::BigInt);
    type Of<'a> = (u32, u32);

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<(u32, u32)> {
        let Some(Value::List(lines)) = given.value() else {
            return Err(asked.is_null(Self::WANTED));
        };
        let line = |value: &Value| {
            let line = value.as_integer().filter(|&line| line > 0)?;
            Some(u32::try_from(line).unwrap_or(u32::MAX))
        };
        let range = match lines.as_slice() {
            [first, last] => line(first).zip(line(last)).filter(|(first, last)| first <= last),
            _ => None,
        };
        range.ok_or_else(|| {
            let shown =
                |line: &Value| line.as_integer().map_or("NULL".to_owned(), |line| line.to_string());
            let shown: Vec<String> = lines.iter().map(shown).gather();
            Error::invalid_args(format!("{} is [{}]", asked.name, shown.joined(", ")))
                .with_hint("Give the first and the last line, such as [10, 20], counted from 1")
        })
    }
}

/// Revisions to ignore.
pub struct IgnoredRevisions;

impl Kind for IgnoredRevisions {
    const TYPE: Type = Type::List(&Type::Varchar);
    type Of<'a> = Vec<String>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<String>> {
        let Some(Value::List(revisions)) = given.value() else { return Ok(Vec::new()) };
        let text = |value: &Value| match value.as_text() {
            Some(text) => Ok(text.copied_text()),
            None => Err(Error::invalid_args(format!("{} contains a NULL", asked.name))
                .with_hint("Give a list of revisions, each a text")),
        };
        revisions.iter().map(text).try_gather()
    }
}

bounded! {
    /// The number of git's `-C` options.
    pub CopySearch: Integer as u8, 0..=3,
        "Give 0 to 3. 0: no other file; 1: files of the same commit; 2: for new files all files; 3: all files";
}

const NEWEST_VERSIONS: Param<Name> =
    required("rev", "The newest versions: a revision that names a commit, INDEX or WORKTREE");

impl Question for TreeBlameQuery {
    const DECLARATION: Declaration = Declaration {
        name: "tree_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Lists runs of lines of all files of a revision, each with the commit it is from",
        example: "SELECT author_name, sum(lines) FROM tree_blame('HEAD', '.') GROUP BY ALL",
    };
    const PARAMETERS: &'static [Field] = fields![NEWEST_VERSIONS, REPO];
    const NAMED: &'static [Field] = joined!(Field: fields![PATHS], FOLLOWING);
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(tree_blame_list('HEAD', '.', {'paths': '*.md'}))";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            rev: args.owned(NEWEST_VERSIONS)?,
            repo: args.owned(REPO)?,
            paths: args.get(PATHS)?.unwrap_or_default(),
            mailmap: mailmaps(args)?,
            options: blame_options(args)?,
        })
    }
}
