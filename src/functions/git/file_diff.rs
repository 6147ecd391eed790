//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the diff of one file, line by line.

use super::file_content::FILE;
use crate::functions::params::{Args, FROM, REPO, TO, comparison, fields};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::diff_lines::FileDiffQuery;
use redline_rows::Field;

/// The table function of one file.
pub struct FileDiff;

impl RepositoryTable for FileDiff {
    const DECLARATION: Declaration = Declaration {
        name: "file_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffFile", "GitDiff"]),
        description: "Compares one file between two sides of a repository, one row per line; line_type is ADDED, REMOVED, CONTEXT or BINARY",
        example: "SELECT line_type, content FROM file_diff('README.md', 'HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![FILE, FROM, TO, REPO];
    const NAMED: &'static [Field] = &comparison::OF_ONE_FILE;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_diff_list('README.md', 'HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Query = FileDiffQuery;

    fn query(args: Args<'_>) -> Result<FileDiffQuery> {
        Ok(FileDiffQuery { file: args.owned(FILE)?, revisions: comparison::revisions(args)? })
    }
}
