//! `diff_hunks(from, to, repo)`: the hunks of all files.

use super::file_patches::FilePatches;
use crate::functions::params::{Args, comparison};
use crate::functions::surface::{Declaration, RepositoryTable};
use redline_base::error::Result;
use redline_query::patches::HunksQuery;
use redline_rows::Field;

/// One row per hunk of any file.
pub struct DiffHunks;

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
