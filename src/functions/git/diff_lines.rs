//! `diff_lines(from, to, repo)` and `diff_lines_list(…)`: the diffs of all files, line by line.

use crate::ffi::Field;
use crate::functions::params::{Args, comparison};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, Has, Part, RepositoryTable, Row, varchar,
};
use redline_base::error::Result;
use redline_query::Need;
use redline_query::diff_lines::{FileLines, LinesQuery};
use redline_query::diff_rows::{LineRow, LineRows};
use redline_text::hunk_id::HunkId;

/// The table function of all files.
pub struct DiffLines;

impl Row for FileLines {
    type Of<'a> = (&'a [u8], LineRow<'a>, Option<&'a HunkId>);

    const OWN: &'static [Col<Self>] =
        &[varchar("file_path", "Path from the repository's root", |(path, ..), out| {
            out.text(path)
        })];
    const PART: Option<Part<Self>> = Some(Part::of::<LineRows>());
    const IS_NUMBERED: bool = true;
    const TAIL: &'static [Col<Self>] = &[
        varchar(
            "marks",
            "In a combined diff the marks before the line, one for each parent; else NULL",
            |(_, line, _), out| out.text(line.marks()),
        ),
        varchar::<Self>(
            "hunk_id",
            "As in diff_hunks; NULL for a line of no hunk there",
            |(.., id), out| out.text(id.map(|id| id.lines.as_str())),
        )
        .needing(&[Need::HunkId]),
        varchar::<Self>("context_id", "As in diff_hunks", |(.., id), out| {
            out.text(id.map(|id| id.context.as_str()))
        })
        .needing(&[Need::HunkId]),
    ];
}

impl Has<LineRows> for FileLines {
    fn part<'a>(row: Self::Of<'a>) -> <LineRows as Row>::Of<'a> {
        row.1
    }
}

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
