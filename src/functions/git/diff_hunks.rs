//! `diff_hunks(from, to, repo)`: the hunks of all files.

use super::file_patches::{self, FilePatches};
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::surface::{
    Col, Declaration, Declared, Row, Stream, Tabular, bigint, varchar,
};
use crate::query::patches::{FileHunk, FileHunks, HunksQuery};

/// One row per hunk of any file.
pub struct DiffHunks;

impl Declared for DiffHunks {
    const DECLARATION: Declaration = Declaration {
        name: "diff_hunks",
        description: "The hunks of all files between two sides of a repository, one row per hunk",
        example: "SELECT file_path, new_start, section FROM diff_hunks('HEAD~1', 'HEAD', '.')",
        ..FilePatches::DECLARATION
    };
}

impl Row for FileHunks {
    type Of<'a> = FileHunk<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        bigint("hunk", "The hunk's number in its file, from 1", |row| (row.index + 1).into()),
        bigint("old_start", "Its first line in the old file, from 1; 0 for none", |row| {
            row.hunk().old.0.into()
        }),
        bigint("old_lines", "Its lines of the old file", |row| row.hunk().old.1.into()),
        bigint("new_start", "Its first line in the new file, from 1; 0 for none", |row| {
            row.hunk().new.0.into()
        }),
        bigint("new_lines", "Its lines of the new file", |row| row.hunk().new.1.into()),
        varchar("section", "The heading behind @@, such as a function's first line", |row, out| {
            out.text(row.hunk().section.as_slice())
        }),
        varchar("patch", "The hunk as git prints it, from its @@ line on", |row, out| {
            out.text(row.patch())
        }),
    ];
}

impl Tabular for FileHunks {
    type Row = Self;
}

impl TableFunction for DiffHunks {
    const NAME: &'static str = "diff_hunks";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = FileHunks::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = HunksQuery;
    type Scan = Stream<FileHunks>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<HunksQuery> {
        file_patches::bind(arguments, named, Self::NAME).map(HunksQuery)
    }

    fn open(query: &HunksQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for DiffHunks {
    const LIST_NAME: &'static str = "diff_hunks_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of diff_hunks as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(diff_hunks_list('HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Element = Numbered<FileHunks>;

    fn list(query: &HunksQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
