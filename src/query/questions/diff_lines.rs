//! The diff of all files, or of one, line by line.

use crate::Question;
use crate::machinery::hunk_ids::{FileHunkIds, LineNamer};
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::Context;
use crate::params::{FILE, FROM, REPO, TO, comparison};
use crate::questions::diff_rows::{LineRow, LineRows, Liner};
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_git::Change;
use redline_rows::params::Args;
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Has, Need, Needs, Part, Row, fields, varchar,
};
use redline_text::CancelToken;
use redline_text::hunk_id::HunkId;

/// A query for the diff lines between two sides.
pub struct LinesQuery(pub Revisions);

/// The lines of one file.
pub struct FileLines {
    path: Vec<u8>,
    lines: LineRows,
    /// The names of its hunks, if requested.
    ids: Option<FileHunkIds>,
    /// Whether the lines are in the hunks that have the names.
    is_by_hunk: bool,
}

impl Weigh for FileLines {
    fn bytes(&self) -> usize {
        let ids = self.ids.as_ref().map_or(0, FileHunkIds::bytes);
        size_of::<Self>() + self.path.len() + self.lines.bytes() + ids
    }
}

impl RowGroup for FileLines {
    /// The path of the file, the line, and the names of its hunk.
    type Of<'a> = (&'a [u8], LineRow<'a>, Option<&'a HunkId>);

    fn rows(&self) -> usize {
        self.lines.rows()
    }

    fn row(&self, index: usize) -> Self::Of<'_> {
        let row = self.lines.row(index);
        let line = row.line();
        let id = self.ids.as_ref().and_then(|ids| match line.hunk {
            Some(number) if self.is_by_hunk => ids.of_hunk(number),
            _ => ids.at(line.old, line.new),
        });
        (&self.path, row, id)
    }
}

impl Query for LinesQuery {
    type Group = FileLines;
    type Row = FileLines;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<FileLines>> {
        self.0.work(context, |comparison| {
            let mut liner = Liner::new(comparison, &self.0.diff);
            let mut namer = LineNamer::new(comparison, &self.0.diff, needs.has(Need::HunkId))?;
            Ok(move |change: Change, cancel: &CancelToken<'_>| {
                let (ids, patch) = namer.names(&change, cancel)?;
                let is_by_hunk = patch.is_some();
                // What was compared for the names is not compared again for the lines.
                let lines = match patch {
                    Some(patch) => LineRows::of_patch(patch, cancel)?,
                    None => liner.lines(std::slice::from_ref(&change), cancel)?,
                };
                Ok(FileLines { path: change.path, lines, ids, is_by_hunk })
            })
        })
    }
}

/// A query for the diff lines of one file.
pub struct FileDiffQuery {
    /// The path of the file.
    pub file: String,
    /// The sides.
    pub revisions: Revisions,
}

impl Query for FileDiffQuery {
    type Group = LineRows;
    type Row = LineRows;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<LineRows>> {
        context.read(|| {
            let comparison = self.revisions.open(context)?;
            // The function that takes a file, and the one that lists files.
            let names = ["file_diff", "file_changes(from, to, repo)"];
            let changes = self.revisions.file(&comparison, &self.file, names)?;
            let mut liner = Liner::new(&comparison, &self.revisions.diff);
            let lines = liner.lines(&changes, &CancelToken::of(&context.budget))?;
            Ok(Rows::Once(Some(lines)))
        })
    }
}

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

impl Question for FileDiffQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffFile"]),
        description: "Compares one file between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT line_type, content FROM file_diff('README.md', 'HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, FROM, TO, REPO];
    const NAMED: &'static [Field] = comparison::OF_ONE_FILE;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_diff_list('README.md', 'HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self { file: args.owned(FILE)?, revisions: comparison::revisions(args)? })
    }
}

impl Question for LinesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "diff_lines",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Compares all files between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT file_path, line_type, content FROM diff_lines('HEAD~1', 'HEAD', '.') WHERE line_type = 'ADDED'",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = comparison::MERGE_NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(diff_lines_list('HEAD~1', 'HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        comparison::revisions(args).map(Self)
    }
}
