//! `file_blame(file, rev, repo)` and `file_blame_list(file, rev, repo)`: which commit each line of a file is from.

use super::commit_columns::{
    FIRST_PARENT, MAILMAP, OfCommit, SINCE, author_date, author_email, author_name, subject,
};
use super::file_content::FILE;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, bigint, boolean, varchar,
};
use crate::git::{BlameOptions, CommitInfo};
use crate::query::file_blame::{BlameQuery, BlamedLine, BlamedLines};

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

impl Row for BlamedLines {
    type Of<'a> = BlamedLine<'a>;

    const OWN: &'static [Col<Self>] = &[
        bigint("line", "The line's number, from 1", |row| row.line().into()),
        varchar("content", "The line without its newline", |row, out| out.text(row.content())),
        varchar(
            "commit_id",
            "The id of the commit it is from; NULL for a line that is not committed",
            |row, out| out.text(row.version().commit.map(|id| id.to_string())),
        ),
        author_name(),
        author_email(),
        author_date(),
        subject("The subject of the commit"),
        varchar("original_path", "The path of the file in that commit", |row, out| {
            out.text(row.version().path.as_slice())
        }),
        bigint("original_line", "The line's number in that version, from 1", |row| {
            row.original_line().into()
        }),
        boolean(
            "is_boundary",
            "Whether its history was followed no further: a root, or the end of what was asked for",
            |row| Some(row.version().is_boundary),
        ),
    ];
}

impl OfCommit for BlamedLines {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.info()
    }
}

impl Tabular for BlamedLines {
    type Row = Self;
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
    type Bind = BlameQuery;
    type Scan = Stream<BlamedLines>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<BlameQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(BlameQuery {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            rev: required_text(&arguments[1], Self::NAME, "rev")?,
            repo: required_text(&arguments[2], Self::NAME, "repo")?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: BlameOptions { lines: lines(&named)?, ..blame_options(&named)? },
        })
    }

    fn open(query: &BlameQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
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

impl Listed for FileBlame {
    const LIST_NAME: &'static str = "file_blame_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_blame as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_blame_list('README.md', 'HEAD', '.', {'lines': [1, 2]}))";
    type Element = Numbered<BlamedLines>;

    fn list(query: &BlameQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
