//! `tree_files(rev, repo)` and `tree_files_list(rev, repo)`: the files of a revision, the index or
//! the work tree.

use crate::functions::params::{Args, Name, PATHS, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;

use redline_query::Revisions;
use redline_query::tree_files::TreeFilesQuery;
use redline_rows::Field;

/// A side of a repository.
pub const REVISION: Param<Name> =
    required("rev", "A revision, as git rev-parse takes it, or INDEX or WORKTREE");

/// The table function.
pub struct TreeFiles;

impl RepositoryTable for TreeFiles {
    const DECLARATION: Declaration = Declaration {
        name: "tree_files",
        family: Family::Git,
        grant: Grant::Tools(&["list_files", "GitFile", "GitDiff"]),
        description: "Lists the files of a revision, the index or the work tree, like git ls-tree -r -l",
        example: "SELECT file_path, size FROM tree_files('HEAD', '.') ORDER BY size DESC LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![REVISION, REPO];
    const NAMED: &'static [Field] = fields![PATHS];
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(tree_files_list('HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Query = TreeFilesQuery;

    fn query(args: Args<'_>) -> Result<TreeFilesQuery> {
        let (rev, repo) = (args.owned(REVISION)?, args.owned(REPO)?);
        let paths = args.get(PATHS)?.unwrap_or_default();
        let all = Revisions::between("EMPTY".to_owned(), Some(rev), repo);
        Ok(TreeFilesQuery(Revisions { paths, ..all }))
    }
}
