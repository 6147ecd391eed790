//! `diff_lines(from, to, repo)` and `diff_lines_list(…)`: the diffs of all files, line by line.

use super::line_rows::{LineRow, LineRows, Liner};
use super::listed::Listed;
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison::{self, NamedOptions, Revisions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Has, Part, Row, RowGroup, Stream, col,
};
use crate::git::Change;
use crate::pipeline::{Ordered, Poll, Weigh};
use crate::text::{CancelToken, DiffOptions};

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

/// The lines of one file.
pub struct FileLines {
    path: Vec<u8>,
    lines: LineRows,
}

impl Weigh for FileLines {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.lines.bytes()
    }
}

impl Row for FileLines {
    type Of<'a> = (&'a [u8], LineRow<'a>);

    const OWN: &'static [Col<Self>] =
        &[col("file_path", Type::Varchar, "Path from the repository's root", |(path, _), out| {
            out.push_bytes(Some(path))
        })];
    const PART: Option<Part<Self>> = Some(Part::of::<LineRows>());
}

impl Has<LineRows> for FileLines {
    fn part<'a>(row: Self::Of<'a>) -> <LineRows as Row>::Of<'a> {
        row.1
    }
}

impl RowGroup for FileLines {
    type Row = Self;

    fn rows(&self) -> usize {
        self.lines.len()
    }

    fn row(&self, index: usize) -> <Self as Row>::Of<'_> {
        (&self.path, self.lines.row(index))
    }
}

impl TableFunction for DiffLines {
    const NAME: &'static str = "diff_lines";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = FileLines::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = (Revisions, DiffOptions);
    type Scan = Stream<FileLines>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok((Revisions::bind(arguments, &named, Self::NAME)?, named.diff_options()?))
    }

    fn open((revisions, options): &Self::Bind, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        Ok(Stream::new(all_files(revisions, options, &execution)?, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Starts the diffs of all files.
fn all_files(
    revisions: &Revisions,
    options: &DiffOptions,
    execution: &ExecutionContext,
) -> Result<Ordered<FileLines>> {
    revisions.work(execution, |comparison| {
        let mut liner = Liner::new(comparison, options);
        Ok(move |change: Change, cancel: &CancelToken<'_>| {
            let lines = liner.lines(std::slice::from_ref(&change), cancel)?;
            Ok(FileLines { path: change.path, lines })
        })
    })
}

impl Listed for DiffLines {
    const LIST_NAME: &'static str = "diff_lines_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of diff_lines as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(diff_lines_list('HEAD~1', 'HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Element = FileLines;

    fn list(
        (revisions, options): &Self::Bind,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        let mut files = all_files(revisions, options, execution)?;
        out.push_list(|elements| {
            while let Poll::Ready(file) = files.poll(None) {
                let file = file?;
                (0..file.rows())
                    .for_each(|index| FileLines::COLUMNS.write_struct(file.row(index), elements));
            }
            Ok(())
        })
    }
}
