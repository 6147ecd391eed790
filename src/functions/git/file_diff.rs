//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the diff of one file, line by line.

use super::file_content::FILE;

use super::listed::Listed;
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{Declaration, Declared, Family, Grant, Row, line_rows};
use crate::query::diff_lines::{self as query, FileDiffQuery};
use crate::query::diff_rows::LineRows;

/// The names in messages of what asks for a file and of what lists the files.
const NAMES: [&str; 2] = ["file_diff", "file_changes(from, to, repo)"];

/// The table function of one file.
pub struct FileDiff;

impl Declared for FileDiff {
    const DECLARATION: Declaration = Declaration {
        name: "file_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffFile", "GitDiff"]),
        description: "The diff of one file between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT line_type, content FROM file_diff('README.md', 'HEAD~1', 'HEAD', '.')",
    };
}

/// A running scan.
pub struct Scan {
    found: query::FileDiff,
    /// Made by the first call of `fill`: DuckDB opens all scans of a query before it looks whether
    /// the query was cancelled.
    lines: Option<LineRows>,
    next: usize,
    projection: Vec<usize>,
}

impl TableFunction for FileDiff {
    const NAME: &'static str = "file_diff";
    const PARAMETERS: &'static [Field] =
        &[FILE, comparison::FROM, comparison::TO, comparison::REPO];
    const NAMED: &'static [Field] = comparison::OPTIONS;
    const COLUMNS: &'static [Field] = LineRows::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = FileDiffQuery;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<FileDiffQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(FileDiffQuery {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            revisions: comparison::revisions(&arguments[1..], &named, Self::NAME)?,
            options: named.diff_options()?,
        })
    }

    fn open(query: &FileDiffQuery, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let found = query.find(&execution, NAMES)?;
        Ok(Scan { found, lines: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let lines = match &mut scan.lines {
            Some(lines) => lines,
            none => none.insert(scan.found.lines()?),
        };
        while scan.next < lines.len() && !batch.is_full() {
            LineRows::COLUMNS.write_projected(
                lines.row(scan.next),
                &scan.projection,
                batch.columns_mut(),
            );
            scan.next += 1;
        }
        Ok(())
    }
}

impl Listed for FileDiff {
    const LIST_NAME: &'static str = "file_diff_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_diff as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_diff_list('README.md', 'HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Element = LineRows;

    fn list(query: &FileDiffQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        line_rows::write_list(&query.find(execution, NAMES)?.lines()?, out);
        Ok(())
    }
}
