//! `tree_blame(rev, repo)`: which commits the lines of all files of a revision are from.

use super::commit_columns::{
    FIRST_PARENT, MAILMAP, OfCommit, SINCE, author_date, author_email, author_name, subject,
};
use super::file_blame::{COPIES, IGNORE_REVS, MOVES, blame_options};
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, bigint, boolean, varchar,
};
use crate::git::CommitInfo;
use crate::query::tree_blame::{BlamedFile, BlamedHunk, TreeBlameQuery};

const REVISION: Field = Field::new(
    "rev",
    Type::Varchar,
    "The newest versions: a revision that names a commit, INDEX or WORKTREE",
);

impl Row for BlamedFile {
    type Of<'a> = BlamedHunk<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        bigint("first_line", "The number of the first line, from 1", |row| {
            Some(i64::from(row.run.line) + 1).into()
        }),
        bigint("lines", "How many lines there are", |row| i64::from(row.run.lines).into()),
        varchar(
            "commit_id",
            "The id of the commit they are from; NULL for lines that are not committed",
            |row, out| out.text(row.version().commit.map(|id| id.to_string())),
        ),
        author_name(),
        author_email(),
        author_date(),
        subject("The subject of the commit"),
        varchar("original_path", "The path of the file in that commit", |row, out| {
            out.text(row.version().path.as_slice())
        }),
        bigint("original_line", "The first line's number in that version, from 1", |row| {
            Some(i64::from(row.run.source) + 1).into()
        }),
        boolean(
            "is_boundary",
            "Whether the history was followed no further: a root, or the end of what was asked for",
            |row| Some(row.version().is_boundary),
        ),
    ];
}

impl OfCommit for BlamedFile {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.info()
    }
}

impl Tabular for BlamedFile {
    type Row = Self;
}

/// The table function.
pub struct TreeBlame;

impl Declared for TreeBlame {
    const DECLARATION: Declaration = Declaration {
        name: "tree_blame",
        family: Family::Git,
        grant: Grant::Tools(&["GitBlame"]),
        description: "Runs of lines of all files of a revision, each with the commit it is from",
        example: "SELECT author_name, sum(lines) FROM tree_blame('HEAD', '.') GROUP BY ALL",
    };
}

impl TableFunction for TreeBlame {
    const NAME: &'static str = "tree_blame";
    const PARAMETERS: &'static [Field] = &[REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[
        comparison::PATHS,
        comparison::IGNORE_WHITESPACE,
        FIRST_PARENT,
        SINCE,
        MAILMAP,
        IGNORE_REVS,
        MOVES,
        COPIES,
    ];
    const COLUMNS: &'static [Field] = BlamedFile::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = TreeBlameQuery;
    type Scan = Stream<BlamedFile>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<TreeBlameQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(TreeBlameQuery {
            rev: required_text(&arguments[0], Self::NAME, "rev")?,
            repo: required_text(&arguments[1], Self::NAME, "repo")?,
            paths: named.paths()?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: blame_options(&named)?,
        })
    }

    fn open(query: &TreeBlameQuery, open: Open<'_>) -> Result<Self::Scan> {
        Ok(Stream::open::<Self>(query, open)?.eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for TreeBlame {
    const LIST_NAME: &'static str = "tree_blame_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of tree_blame as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(tree_blame_list('HEAD', '.', {'paths': '*.md'}))";
    type Element = Numbered<BlamedFile>;

    fn list(query: &TreeBlameQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
