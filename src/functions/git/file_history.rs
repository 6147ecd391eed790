//! `file_history(file, rev, repo)` and `file_history_list(…)`: the commits that changed a file, through renames.

use super::commit_columns::{CommitThen, FIRST_PARENT, MAILMAP, SINCE, UNTIL, history_options};
use super::file_changes;
use super::file_content::FILE;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, bigint, needing, utinyint,
    varchar,
};
use crate::git::{LineCounts, Measured};
use crate::query::file_history::{FileHistoryQuery, FileVersion};
use crate::query::needs::LINES;

const REVISION: Field = Field::new(
    "rev",
    Type::Varchar,
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

/// The columns of a file as a commit left it.
pub struct FileThere;

impl Row for FileThere {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "The path of the file there", |row, out| {
            out.text(row.change.path.as_slice())
        }),
        varchar("old_path", "The path that it was renamed or copied from", |row, out| {
            out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
        }),
        varchar(
            "status",
            "added, deleted, modified, type_changed, renamed or copied",
            |row, out| out.text(row.change.status().name()),
        ),
        utinyint(
            "similarity",
            "How similar a renamed or copied file is to its origin, in percent",
            |row| row.change.origin.as_ref().map(|origin| origin.similarity),
        ),
        needing(
            LINES,
            bigint("additions", "Added lines; NULL for a binary file", |row| {
                file_changes::lines(row, LineCounts::additions).into()
            }),
        ),
        needing(
            LINES,
            bigint("deletions", "Removed lines; NULL for a binary file", |row| {
                file_changes::lines(row, LineCounts::deletions).into()
            }),
        ),
    ];
}

impl Tabular for FileVersion {
    type Row = CommitThen<FileThere>;
}

/// The table function.
pub struct FileHistory;

impl Declared for FileHistory {
    const DECLARATION: Declaration = Declaration {
        name: "file_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "The commits that changed a file, through renames, as git log --follow lists them",
        example: "SELECT subject, file_path, additions FROM file_history('README.md', 'HEAD', '.') LIMIT 10",
    };
}

impl TableFunction for FileHistory {
    const NAME: &'static str = "file_history";
    const PARAMETERS: &'static [Field] = &[FILE, REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[SINCE, UNTIL, FIRST_PARENT, MAILMAP];
    const COLUMNS: &'static [Field] = <FileVersion as Tabular>::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = FileHistoryQuery;
    type Scan = Stream<FileVersion>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<FileHistoryQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(FileHistoryQuery {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            rev: required_text(&arguments[1], Self::NAME, "rev")?,
            repo: required_text(&arguments[2], Self::NAME, "repo")?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: history_options(&named),
        })
    }

    fn open(query: &FileHistoryQuery, open: Open<'_>) -> Result<Self::Scan> {
        Ok(Stream::open::<Self>(query, open)?.eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for FileHistory {
    const LIST_NAME: &'static str = "file_history_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_history as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_history_list('README.md', 'HEAD', '.', {'first_parent': true}))";
    type Element = Numbered<<FileVersion as Tabular>::Row>;

    fn list(
        query: &FileHistoryQuery,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        push_rows(query, execution, out)
    }
}
