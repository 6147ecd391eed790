//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the diff of one file, line by line.

use std::sync::Arc;

use super::file_content::FILE;
use super::line_rows::{LineRows, Liner};
use super::listed::Listed;
use crate::budget::{Budget, Current};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions, Revisions};
use crate::functions::surface::{Declaration, Declared, Family, Grant, Row};
use crate::git::{Change, Comparison};
use crate::sandbox::read_restricted;
use crate::text::{CancelToken, DiffOptions};

/// What is compared.
pub struct FileComparison {
    file: String,
    revisions: Revisions,
    options: DiffOptions,
}

/// A file that was found on one side or both, not yet read.
struct Found {
    budget: Arc<Budget>,
    comparison: Comparison,
    changes: Vec<Change>,
}

impl Found {
    fn find(comparison: &FileComparison, execution: &ExecutionContext) -> Result<Self> {
        let sides = comparison.revisions.open(execution)?;
        let names = ["file_diff", "file_changes(from, to, repo)"];
        let changes = comparison.revisions.file(&sides, &comparison.file, names)?;
        Ok(Self { budget: Arc::clone(&execution.budget), comparison: sides, changes })
    }

    fn lines(&self, options: &DiffOptions) -> Result<LineRows> {
        let access = self.comparison.repository().access();
        read_restricted(access, || {
            let _current = Current::enter(&self.budget);
            Liner::new(&self.comparison, options)
                .lines(&self.changes, &CancelToken::of(&self.budget))
        })
    }
}

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
    found: Found,
    options: DiffOptions,
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
    type Bind = FileComparison;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<FileComparison> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(FileComparison {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            revisions: Revisions::bind(&arguments[1..], &named, Self::NAME)?,
            options: named.diff_options()?,
        })
    }

    fn open(comparison: &FileComparison, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let found = execution.read(|| Found::find(comparison, &execution))?;
        let options = comparison.options.clone();
        Ok(Scan { found, options, lines: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let lines = match &mut scan.lines {
            Some(lines) => lines,
            none => none.insert(scan.found.lines(&scan.options)?),
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

    fn list(
        comparison: &FileComparison,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        execution
            .read(|| Found::find(comparison, execution))?
            .lines(&comparison.options)?
            .write_list(out);
        Ok(())
    }
}
