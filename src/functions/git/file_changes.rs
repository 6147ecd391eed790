//! `file_changes(from, to, repo)` and `file_changes_list(from, to, repo)`: the changed files.

use crate::functions::params::{Args, comparison};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;

use redline_query::file_changes::FileChangesQuery;
use redline_rows::Field;

/// The table function.
pub struct FileChanges;

impl RepositoryTable for FileChanges {
    const DECLARATION: Declaration = Declaration {
        name: "file_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffSummary", "GitDiff"]),
        description: "Lists the files that differ between two revisions, the index and the work tree, one row per file; the macro changes() needs no arguments",
        example: "SELECT file_path, status, additions, deletions FROM file_changes('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_changes_list('HEAD~1', 'HEAD', '.', {'renames': true}), recursive := true)";
    type Query = FileChangesQuery;

    fn query(args: Args<'_>) -> Result<FileChangesQuery> {
        comparison::revisions(args).map(FileChangesQuery)
    }
}
