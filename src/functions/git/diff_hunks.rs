//! `diff_hunks(from, to, repo)`: the hunks of all files.

use super::file_patches::FilePatches;
use crate::ffi::Field;
use crate::functions::params::{Args, comparison};
use crate::functions::surface::{Col, Declaration, RepositoryTable, Row, bigint, varchar};
use redline_base::error::Result;
use redline_query::Need;
use redline_query::patches::{FileHunk, FileHunks, HunksQuery};

/// One row per hunk of any file.
pub struct DiffHunks;

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
        varchar("section", "The heading after @@, such as a function's first line", |row, out| {
            out.text(row.hunk().section.as_slice())
        }),
        varchar("patch", "The hunk as git prints it, from its @@ line on", |row, out| {
            out.text(row.patch())
        }),
        varchar::<Self>(
            "hunk_id",
            "A digest of the path and of the removed and added lines, by the default options",
            |row, out| out.text(row.id().map(|id| id.lines.as_str())),
        )
        .needing(&[Need::HunkId]),
        varchar::<Self>(
            "context_id",
            "The same with the lines around and the heading",
            |row, out| out.text(row.id().map(|id| id.context.as_str())),
        )
        .needing(&[Need::HunkId]),
    ];
}

impl RepositoryTable for DiffHunks {
    const DECLARATION: Declaration = Declaration {
        name: "diff_hunks",
        description: "Lists the hunks of all files between two sides of a repository, one row per hunk",
        example: "SELECT file_path, new_start, section FROM diff_hunks('HEAD~1', 'HEAD', '.')",
        ..FilePatches::DECLARATION
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(diff_hunks_list('HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Query = HunksQuery;

    fn query(args: Args<'_>) -> Result<HunksQuery> {
        comparison::revisions(args).map(HunksQuery)
    }
}
