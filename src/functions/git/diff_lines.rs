//! `diff_lines(from, to, repo)` and `diff_lines_list(…)`: the diffs of all files, line by line.

use super::listed::Listed;
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Has, Part, Row, Stream, Tabular, varchar,
};
use crate::query::diff_lines::{FileLines, LinesQuery};
use crate::query::diff_rows::{LineRow, LineRows};
use crate::query::{Query, RowGroup};

/// The table function of all files.
pub struct DiffLines;

impl Declared for DiffLines {
    const DECLARATION: Declaration = Declaration {
        name: "diff_lines",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "The diffs of all files between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT file_path, line_type, content FROM diff_lines('HEAD~1', 'HEAD', '.') WHERE line_type = 'ADDED'",
    };
}

impl Row for FileLines {
    type Of<'a> = (&'a [u8], LineRow<'a>);

    const OWN: &'static [Col<Self>] =
        &[varchar("file_path", "Path from the repository's root", |(path, _), out| out.text(path))];
    const PART: Option<Part<Self>> = Some(Part::of::<LineRows>());
    const TAIL: &'static [Col<Self>] = &[varchar(
        "marks",
        "In a combined diff the marks before the line, one for each parent; else NULL",
        |(_, line), out| out.text(line.marks()),
    )];
}

impl Has<LineRows> for FileLines {
    fn part<'a>(row: Self::Of<'a>) -> <LineRows as Row>::Of<'a> {
        row.1
    }
}

impl Tabular for FileLines {
    type Row = Self;
}

impl TableFunction for DiffLines {
    const NAME: &'static str = "diff_lines";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::MERGE_NAMED;
    const COLUMNS: &'static [Field] = FileLines::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = LinesQuery;
    type Scan = Stream<FileLines>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(LinesQuery {
            revisions: comparison::revisions(arguments, &named, Self::NAME)?,
            options: named.diff_options()?,
        })
    }

    fn open(query: &LinesQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for DiffLines {
    const LIST_NAME: &'static str = "diff_lines_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of diff_lines as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(diff_lines_list('HEAD~1', 'HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Element = FileLines;

    fn list(query: &LinesQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let files = query.start(execution, 0)?;
        out.push_list(|elements| {
            files.each(|file| {
                (0..file.rows())
                    .for_each(|index| FileLines::COLUMNS.write_struct(file.row(index), elements));
            })
        })
    }
}
