//! `file_status(repo)` and `file_status_list(repo)`: the rows of `git status`.

use crate::ffi::Field;
use crate::functions::params::{Args, Flag, PATHS, Param, REPO, fields, flag};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, boolean, utinyint, varchar,
};
use redline_base::error::Result;
use redline_git::{FileStatus, RenameOptions, StatusOptions};
use redline_query::file_status::StatusQuery;

impl Row for Vec<FileStatus> {
    type Of<'a> = &'a FileStatus;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; that of a repository inside ends in a slash",
            |row, out| out.text(row.path.as_slice()),
        ),
        varchar("old_path", "The path that a renamed file had", |row, out| {
            out.text(row.old_path.as_deref())
        }),
        varchar(
            "index_status",
            "The change from HEAD to the index: added, deleted, modified, type_changed, renamed, unmerged",
            |row, out| out.text(row.index),
        ),
        varchar(
            "worktree_status",
            "The change from the index to the work tree: as above, or untracked or ignored",
            |row, out| out.text(row.work_tree),
        ),
        varchar(
            "conflict",
            "both_modified, both_added, both_deleted, or added_ or deleted_ by_us or by_them",
            |row, out| out.text(row.conflict),
        ),
        boolean("is_submodule", "Whether it is a submodule", |row| Some(row.is_submodule)),
        utinyint(
            "similarity",
            "Similarity of a renamed file to its old version, in percent",
            |row| row.similarity,
        ),
        varchar(
            "submodule_change",
            "The first difference in a submodule of the work tree: commits, content (of files), or untracked; else NULL",
            |row, out| out.text(row.submodule_change),
        ),
    ];
}

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
