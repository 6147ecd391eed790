//! `file_blame(file, rev, repo)` and `file_blame_list(file, rev, repo)`: which commit each line of a file is from.

use std::collections::HashMap;
use std::sync::Arc;

use super::commit_columns::{FIRST_PARENT, INFO, MAILMAP, NAMES, SINCE};
use super::file_content::FILE;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::budget::Permits;
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{
    Blame, BlameOptions, BlamedRun, BlamedVersion, CommitInfo, Mailmap, Oid, Person, Repository,
    mailmap_of,
};
use crate::pipeline::{Ordered, Source, Weigh, Window};

const REVISION: Field = Field::new(
    "rev",
    Type::Varchar,
    "The newest version: a revision, INDEX or WORKTREE; a range a..b follows no line behind a",
);

/// Commits that keep nothing.
pub const IGNORE_REVS: Field = Field::optional(
    "ignore_revs",
    Type::List(&Type::Varchar),
    "NULL",
    "Commits whose changes are passed on to the lines they were made from, as git's --ignore-rev",
);
/// Whether lines that were moved are followed.
pub const MOVES: Field = Field::optional(
    "moves",
    Type::Boolean,
    "false",
    "Follow lines that were moved within the file, as git's -M",
);
/// How far lines that were copied are followed.
pub const COPIES: Field = Field::optional(
    "copies",
    Type::Integer,
    "0",
    "Follow lines that were copied from other files: how often git's -C is given, 0 to 3",
);

/// How many times `-C` can be given.
const MAX_COPIES: i64 = 3;

/// A line and whose it is.
#[derive(Clone, Copy)]
pub struct BlamedLine<'a> {
    rows: &'a BlamedLines,
    run: BlamedRun,
    /// The line's position in the run.
    offset: u32,
}

impl<'a> BlamedLine<'a> {
    fn version(self) -> &'a BlamedVersion {
        &self.rows.blame.versions[self.run.version]
    }

    fn info(self) -> Option<&'a CommitInfo> {
        self.rows.infos.get(self.run.version)?.as_deref()
    }

    fn author(self) -> Option<&'a Person> {
        self.info()?.author.as_ref()
    }
}

/// The lines of a file.
pub struct BlamedLines {
    blame: Blame,
    /// What the commit of each version says, where that was asked for.
    infos: Vec<Option<Arc<CommitInfo>>>,
    /// The row at which each run begins.
    starts: Vec<usize>,
    rows: usize,
}

impl Row for BlamedLines {
    type Of<'a> = BlamedLine<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("line", Type::BigInt, "The line's number, from 1", |row, out| {
            out.push_bigint(Some(i64::from(row.run.line + row.offset) + 1));
        }),
        col("content", Type::Varchar, "The line without its newline", |row, out| {
            out.push_bytes(Some(row.rows.blame.line(row.run.line + row.offset)));
        }),
        col(
            "commit_id",
            Type::Varchar,
            "The id of the commit it is from; NULL for a line that is not committed",
            |row, out| out.push_text(row.version().commit.map(|id| id.to_string()).as_deref()),
        ),
        needing(
            INFO | NAMES,
            col("author_name", Type::Varchar, "The author's name", |row, out| {
                out.push_bytes(row.author().map(|person| person.name.as_slice()));
            }),
        ),
        needing(
            INFO | NAMES,
            col("author_email", Type::Varchar, "The author's e-mail address", |row, out| {
                out.push_bytes(row.author().map(|person| person.email.as_slice()));
            }),
        ),
        needing(
            INFO,
            col("author_date", Type::Timestamp, "When it was written", |row, out| {
                out.push_bigint(row.info().and_then(|info| info.author_date));
            }),
        ),
        needing(
            INFO,
            col("subject", Type::Varchar, "The subject of the commit", |row, out| {
                out.push_bytes(row.info().map(|info| info.subject.as_slice()));
            }),
        ),
        col("original_path", Type::Varchar, "The path of the file in that commit", |row, out| {
            out.push_bytes(Some(&row.version().path))
        }),
        col(
            "original_line",
            Type::BigInt,
            "The line's number in that version, from 1",
            |row, out| out.push_bigint(Some(i64::from(row.run.source + row.offset) + 1)),
        ),
        col(
            "is_boundary",
            Type::Boolean,
            "Whether its history was followed no further: a root, or the end of what was asked for",
            |row, out| out.push_boolean(Some(row.version().is_boundary)),
        ),
    ];
}

impl Weigh for BlamedLines {
    fn bytes(&self) -> usize {
        self.blame.content.len() + self.rows * size_of::<usize>()
    }
}

impl RowGroup for BlamedLines {
    type Row = Self;

    fn rows(&self) -> usize {
        self.rows
    }

    fn row(&self, index: usize) -> BlamedLine<'_> {
        let run = self.starts.partition_point(|&start| start <= index) - 1;
        let offset = (index - self.starts[run]) as u32;
        BlamedLine { rows: self, run: self.blame.runs[run], offset }
    }
}

impl BlamedLines {
    fn new(blame: Blame, infos: Vec<Option<Arc<CommitInfo>>>) -> Self {
        let mut rows = 0;
        let starts = blame.runs.iter().map(|run| {
            let start = rows;
            rows += run.lines as usize;
            start
        });
        let starts = starts.collect();
        Self { blame, infos, starts, rows }
    }
}

/// Reads what the commits of versions say of themselves.
pub fn infos(
    repository: &Repository,
    versions: &[BlamedVersion],
    mailmap: Option<&Mailmap>,
) -> Result<Vec<Option<Arc<CommitInfo>>>> {
    let (objects, cancel) = (repository.objects(), repository.cancel());
    let mut known: HashMap<Oid, Arc<CommitInfo>> = HashMap::new();
    let mut infos = Vec::with_capacity(versions.len());
    for version in versions {
        let Some(id) = version.commit else {
            infos.push(None);
            continue;
        };
        let info = match known.get(&id) {
            Some(info) => Arc::clone(info),
            None => {
                let info = Arc::new(CommitInfo::read(&objects.commit(&id)?, mailmap, &cancel)?);
                known.insert(id, Arc::clone(&info));
                info
            }
        };
        infos.push(Some(info));
    }
    Ok(infos)
}

/// The table function.
pub struct FileBlame;

impl Declared for FileBlame {
    const DECLARATION: Declaration = Declaration {
        name: "file_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "The lines of a file, each with the commit it is from, as git blame has it",
        example: "SELECT line, author_name, subject, content FROM file_blame('README.md', 'HEAD', '.') LIMIT 10",
    };
}

/// The validated arguments.
pub struct Query {
    file: String,
    rev: String,
    repo: String,
    mailmap: bool,
    options: BlameOptions,
}

impl TableFunction for FileBlame {
    const NAME: &'static str = "file_blame";
    const PARAMETERS: &'static [Field] = &[FILE, REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[
        Field::optional(
            "lines",
            Type::List(&Type::BigInt),
            "NULL",
            "The first and the last line, from 1; NULL for all",
        ),
        comparison::IGNORE_WHITESPACE,
        FIRST_PARENT,
        SINCE,
        MAILMAP,
        IGNORE_REVS,
        MOVES,
        COPIES,
    ];
    const COLUMNS: &'static [Field] = BlamedLines::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Stream<BlamedLines>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Query {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            rev: required_text(&arguments[1], Self::NAME, "rev")?,
            repo: required_text(&arguments[2], Self::NAME, "repo")?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: BlameOptions { lines: lines(&named)?, ..blame_options(&named)? },
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs = BlamedLines::COLUMNS.needs(open.projection);
        let rows = execution.read(|| query.start(&execution, needs))?;
        Ok(Stream::new(rows, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Returns how lines are followed.
pub fn blame_options(named: &NamedOptions<'_>) -> Result<BlameOptions> {
    let copies = named.integer("copies").unwrap_or(0);
    let Some(copies) = u8::try_from(copies).ok().filter(|&copies| i64::from(copies) <= MAX_COPIES)
    else {
        return Err(Error::invalid_args(format!("copies is {copies}"))
            .with_hint("Give 0 to 3: from no other file, from those changed with it, for new files from all, from all"));
    };
    Ok(BlameOptions {
        lines: None,
        whitespace: named.whitespace()?,
        first_parent: named.boolean("first_parent"),
        since: named.get("since").as_timestamp(),
        ignore: ignored(named)?,
        moves: named.boolean("moves"),
        copies,
    })
}

/// Returns the revisions whose changes are passed on.
fn ignored(named: &NamedOptions<'_>) -> Result<Vec<String>> {
    let Value::List(revisions) = named.get("ignore_revs") else { return Ok(Vec::new()) };
    let text = |value: &Value| match value.as_text() {
        Some(text) => Ok(text.to_owned()),
        None => Err(Error::invalid_args("ignore_revs contains a NULL")
            .with_hint("Give a list of revisions, each a text")),
    };
    revisions.iter().map(text).collect()
}

/// Returns the first and the last line that are asked for.
fn lines(named: &NamedOptions<'_>) -> Result<Option<(u32, u32)>> {
    let Value::List(lines) = named.get("lines") else { return Ok(None) };
    let wrong = || {
        let shown: Vec<String> = lines
            .iter()
            .map(|line| line.as_integer().map_or("NULL".to_owned(), |line| line.to_string()))
            .collect();
        Error::invalid_args(format!("lines is [{}]", shown.join(", ")))
            .with_hint("Give the first and the last line, such as [10, 20], counted from 1")
    };
    let line = |value: &Value| {
        let line = value.as_integer().filter(|&line| line > 0)?;
        Some(u32::try_from(line).unwrap_or(u32::MAX))
    };
    match lines.as_slice() {
        [first, last] => match (line(first), line(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Some((first, last))),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

impl Query {
    /// Starts the work, which is one job.
    fn start(&self, execution: &ExecutionContext, needs: u8) -> Result<Ordered<BlamedLines>> {
        let budget = execution.budget.part();
        let repository = execution.repository(&self.repo)?.with_budget(Arc::clone(&budget));
        let mailmap =
            if needs & NAMES != 0 && self.mailmap { Some(mailmap_of(&repository)?) } else { None };
        let (file, rev, options) = (self.file.clone(), self.rev.clone(), self.options.clone());
        let work = move |()| {
            let blame = Blame::of(&repository, &file, &rev, &options)?;
            let infos = if needs & INFO == 0 {
                Vec::new()
            } else {
                infos(&repository, &blame.versions, mailmap.as_ref())?
            };
            Ok::<_, Error>(BlamedLines::new(blame, infos))
        };
        let window = Window { jobs: 1, bytes: usize::MAX };
        let jobs = Source::new(std::iter::once(Ok(())));
        Ordered::start(jobs, vec![work], window, budget, Permits::take(1))
    }
}

impl Listed for FileBlame {
    const LIST_NAME: &'static str = "file_blame_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_blame as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_blame_list('README.md', 'HEAD', '.', {'lines': [1, 2]}))";
    type Element = Numbered<BlamedLines>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(execution.read(|| query.start(execution, INFO | NAMES))?, out)
    }
}
