//! `file_changes(from, to, repo)` and `file_changes_list(from, to, repo)`: the changed files.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, bigint, boolean, needing,
    utinyint, varchar,
};
use crate::git::{Entry, LineCounts, Measured};
use crate::query::file_changes::FileChangesQuery;
use crate::query::needs::{DETAILS, LINES, SIZES};

impl Row for Measured {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| out.text(row.change.path.as_slice()),
        ),
        varchar(
            "status",
            "added, deleted, modified, type_changed, renamed, copied or unmerged",
            |row, out| out.text(row.change.status().name()),
        ),
        needing(
            SIZES,
            bigint(
                "old_size",
                "Bytes of the old content; NULL for a submodule or an absent side",
                |row| row.old_size.into(),
            ),
        ),
        needing(
            SIZES,
            bigint("new_size", "Bytes of the new content, likewise", |row| row.new_size.into()),
        ),
        needing(
            DETAILS,
            varchar("old_path", "The path that a renamed or copied file had", |row, out| {
                out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
            }),
        ),
        needing(
            DETAILS,
            utinyint(
                "similarity",
                "How similar a renamed or copied file is to its origin, in percent",
                |row| row.change.origin.as_ref().map(|origin| origin.similarity),
            ),
        ),
        needing(
            LINES,
            bigint("additions", "Added lines; NULL for a binary file", |row| {
                lines(row, LineCounts::additions).into()
            }),
        ),
        needing(
            LINES,
            bigint("deletions", "Removed lines; NULL for a binary file", |row| {
                lines(row, LineCounts::deletions).into()
            }),
        ),
        needing(
            LINES,
            boolean(
                "is_binary",
                "Whether the file is binary, by its attributes, its size or a NUL",
                |row| row.lines.map(|lines| lines == LineCounts::Binary),
            ),
        ),
        needing(
            DETAILS,
            varchar("old_mode", "The old mode, octal, as git prints it", |row, out| {
                out.text(mode(row.change.old))
            }),
        ),
        needing(
            DETAILS,
            varchar("new_mode", "The new mode, octal", |row, out| out.text(mode(row.change.new))),
        ),
        needing(
            DETAILS,
            varchar("old_oid", "The object id of the old content, in hexadecimal", |row, out| {
                out.text(oid(row.change.old))
            }),
        ),
        needing(
            DETAILS,
            varchar("new_oid", "The object id of the new content", |row, out| {
                out.text(oid(row.change.new))
            }),
        ),
    ];
}

/// Returns added or removed lines, where they were counted.
pub fn lines(row: &Measured, of: fn(&LineCounts) -> Option<u64>) -> Option<i64> {
    row.lines.as_ref().and_then(of).and_then(|count| i64::try_from(count).ok())
}

fn mode(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.mode.to_string())
}

fn oid(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.oid.to_string())
}

impl Tabular for Measured {
    type Row = Self;
}

/// The table function.
pub struct FileChanges;

impl Declared for FileChanges {
    const DECLARATION: Declaration = Declaration {
        name: "file_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffSummary", "GitDiff"]),
        description: "The files that differ between two revisions, the index and the work tree, one row per file; the macro changes() needs no arguments",
        example: "SELECT file_path, status, additions, deletions FROM file_changes('HEAD~1', 'HEAD', '.')",
    };
}

impl TableFunction for FileChanges {
    const NAME: &'static str = "file_changes";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = Measured::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = FileChangesQuery;
    type Scan = Stream<Measured>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(FileChangesQuery {
            revisions: comparison::revisions(arguments, &named, Self::NAME)?,
            options: named.diff_options()?,
        })
    }

    fn open(query: &FileChangesQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for FileChanges {
    const LIST_NAME: &'static str = "file_changes_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_changes as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_changes_list('HEAD~1', 'HEAD', '.', {'renames': true}), recursive := true)";
    type Element = Numbered<Measured>;

    fn list(
        query: &FileChangesQuery,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        push_rows(query, execution, out)
    }
}
