//! `diff_lines(from, to, repo)` and `diff_lines_list(…)`: the diffs of all files, line by line.

use crate::functions::params::{Args, comparison};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::diff_lines::LinesQuery;

use redline_rows::Field;

/// The table function of all files.
pub struct DiffLines;

impl RepositoryTable for DiffLines {
    const DECLARATION: Declaration = Declaration {
        name: "diff_lines",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Compares all files between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT file_path, line_type, content FROM diff_lines('HEAD~1', 'HEAD', '.') WHERE line_type = 'ADDED'",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::MERGE_NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(diff_lines_list('HEAD~1', 'HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Query = LinesQuery;

    fn query(args: Args<'_>) -> Result<LinesQuery> {
        comparison::revisions(args).map(LinesQuery)
    }
}
