//! `file_patches(from, to, repo)`: changes as git prints them.

use crate::functions::params::{Args, comparison};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::patches::PatchesQuery;
use redline_rows::Field;

/// One row per changed file.
pub struct FilePatches;

impl RepositoryTable for FilePatches {
    const DECLARATION: Declaration = Declaration {
        name: "file_patches",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Lists the changed files with their patches, equal to git diff by the byte",
        example: "SELECT string_agg(patch, '') FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::MERGE_NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_patches_list('HEAD~1', 'HEAD', '.', {'context': 1}), recursive := true)";
    type Query = PatchesQuery;

    fn query(args: Args<'_>) -> Result<PatchesQuery> {
        comparison::revisions(args).map(PatchesQuery)
    }
}
