//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the diff of one file, line by line.

use super::file_content::FILE;
use super::listed::Listed;
use crate::error::Result;
use crate::ffi::{Batch, Field, Open};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, FROM, REPO, TO, comparison, fields};
use crate::functions::surface::{
    Declaration, Family, Grant, ListOf, Out, Row, Scan, Table, Written,
};
use crate::query::diff_lines::{self as query, FileDiffQuery};
use crate::query::diff_rows::LineRows;

/// The names, for messages, of the function that takes a file and of the one that lists the files.
const NAMES: [&str; 2] = ["file_diff", "file_changes(from, to, repo)"];

/// The table function of one file.
pub struct FileDiff;

/// A running scan.
pub struct Lines {
    found: query::FileDiff,
    /// Created by the first call of `fill`: DuckDB opens all scans of a query before it checks
    /// whether the query was cancelled.
    lines: Option<LineRows>,
    next: usize,
}

impl Table for FileDiff {
    const DECLARATION: Declaration = Declaration {
        name: "file_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffFile", "GitDiff"]),
        description: "The diff of one file between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT line_type, content FROM file_diff('README.md', 'HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, FROM, TO, REPO];
    const NAMED: &'static [Field] = &comparison::OF_ONE_FILE;
    type Row = LineRows;
    type Bind = FileDiffQuery;
    type Scan = Lines;

    fn bind(args: Args<'_>) -> Result<FileDiffQuery> {
        Ok(FileDiffQuery { file: args.owned(FILE)?, revisions: comparison::revisions(args)? })
    }

    fn open(query: &FileDiffQuery, open: Open<'_>) -> Result<Lines> {
        let execution = ExecutionContext::new(open.settings)?;
        let found = query.find(&execution, NAMES)?;
        Ok(Lines { found, lines: None, next: 0 })
    }
}

impl Scan for Lines {
    fn fill(&mut self, batch: &mut Batch) -> Result<()> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            none => none.insert(self.found.lines()?),
        };
        while self.next < lines.len() && !batch.is_full() {
            LineRows::COLUMNS.write_projected(lines.row(self.next), batch);
            self.next += 1;
        }
        Ok(())
    }
}

impl Listed for FileDiff {
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_diff_list('README.md', 'HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Element = LineRows;

    fn list(
        query: &FileDiffQuery,
        execution: &ExecutionContext,
        out: Out<'_, ListOf<LineRows>>,
    ) -> Result<Written> {
        let lines = query.find(execution, NAMES)?.lines()?;
        Ok(out.all((0..lines.len()).map(|index| lines.row(index))))
    }
}
