//! `file_history(file, rev, repo)` and `file_history_list(…)`: the commits that changed a file,
//! through renames.

use super::commit_columns::{
    CommitThen, FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range,
};
use super::file_changes;
use super::file_content::FILE;
use crate::ffi::Field;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, Tabular, bigint, utinyint, varchar,
};
use redline_base::error::Result;
use redline_git::{LineCounts, Measured};
use redline_query::Need;
use redline_query::commit::Commit;
use redline_query::file_history::FileHistoryQuery;

const REVISION: Param<Name> =
    required("rev", "A revision with all that it reaches, a..b, a...b, or ALL for every reference");

/// The columns of a file at a commit.
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
            "Similarity of a renamed or copied file to its origin, in percent",
            |row| row.change.origin.as_ref().map(|origin| origin.similarity),
        ),
        bigint::<Self>("additions", "Added lines; NULL for a binary file", |row| {
            file_changes::lines(row, LineCounts::additions).into()
        })
        .needing(&[Need::Lines]),
        bigint::<Self>("deletions", "Removed lines; NULL for a binary file", |row| {
            file_changes::lines(row, LineCounts::deletions).into()
        })
        .needing(&[Need::Lines]),
    ];
}

impl Tabular for (Commit, Measured) {
    type Row = CommitThen<FileThere>;
}

/// The table function.
pub struct FileHistory;

impl RepositoryTable for FileHistory {
    const DECLARATION: Declaration = Declaration {
        name: "file_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits that changed a file, through renames, like git log --follow",
        example: "SELECT subject, file_path, additions FROM file_history('README.md', 'HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, REVISION, REPO];
    const NAMED: &'static [Field] = fields![SINCE, UNTIL, FIRST_PARENT, MAILMAP, MAILMAP_FILE];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_history_list('README.md', 'HEAD', '.', {'first_parent': true}))";
    type Query = FileHistoryQuery;

    fn query(args: Args<'_>) -> Result<FileHistoryQuery> {
        Ok(FileHistoryQuery { file: args.owned(FILE)?, range: commit_range(args, REVISION)? })
    }
}
