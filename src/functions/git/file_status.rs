//! `file_status(repo)` and `file_status_list(repo)`: the rows of `git status`.

use crate::functions::params::{Args, Flag, PATHS, Param, REPO, fields, flag};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_git::{RenameOptions, StatusOptions};
use redline_query::file_status::StatusQuery;
use redline_rows::Field;

/// The table function.
pub struct FileStatusTable;

const RENAMES: Param<Flag> = flag("renames", true, "Detect renames");
const UNTRACKED: Param<Flag> =
    flag("untracked", true, "List files that are neither tracked nor ignored");
const IGNORED: Param<Flag> = flag("ignored", false, "List ignored files, as git's --ignored");

impl RepositoryTable for FileStatusTable {
    const DECLARATION: Declaration = Declaration {
        name: "file_status",
        family: Family::Git,
        grant: Grant::Tools(&["GitStatus", "GitDiff"]),
        description: "Lists the files that git status lists: staged, changed, in conflict or untracked",
        example: "SELECT file_path, index_status, worktree_status FROM file_status('.')",
    };
    const PARAMETERS: &'static [Field] = fields![REPO];
    const NAMED: &'static [Field] = fields![RENAMES, UNTRACKED, IGNORED, PATHS];
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(file_status_list('.', {'untracked': false}), recursive := true)";
    type Query = StatusQuery;

    fn query(args: Args<'_>) -> Result<StatusQuery> {
        Ok(StatusQuery {
            repo: args.owned(REPO)?,
            options: StatusOptions {
                paths: args.get(PATHS)?.unwrap_or_default(),
                renames: args.get(RENAMES)?.then(RenameOptions::default),
                untracked: args.get(UNTRACKED)?,
                ignored: args.get(IGNORED)?,
            },
        })
    }
}
