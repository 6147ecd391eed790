//! `tree_files(rev, repo)` and `tree_files_list(rev, repo)`: the files of a revision, the index or
//! the work tree.

use crate::ffi::Field;
use crate::functions::params::{Args, Name, PATHS, Param, REPO, fields, required};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, bigint, varchar,
};
use redline_base::error::Result;
use redline_git::Measured;
use redline_query::tree_files::TreeFilesQuery;
use redline_query::{Need, Revisions};

/// A side of a repository.
pub const REVISION: Param<Name> =
    required("rev", "A revision, as git rev-parse takes it, or INDEX or WORKTREE");

impl Row for Vec<Measured> {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| {
            out.text(row.change.path.as_slice())
        }),
        varchar(
            "kind",
            "file, executable, symlink or submodule; NULL for a conflict in the index",
            |row, out| out.text(row.change.new.map(|entry| entry.mode.kind_name())),
        ),
        varchar("mode", "The mode, octal, as git prints it", |row, out| {
            out.text(row.change.new.map(|entry| entry.mode.to_string()))
        }),
        bigint::<Self>("size", "Bytes of the content; NULL for a submodule", |row| {
            row.new_size.into()
        })
        .needing(&[Need::Sizes]),
        varchar(
            "oid",
            "The object id of the content, of a submodule that of its commit",
            |row, out| out.text(row.change.new.map(|entry| entry.oid.to_string())),
        ),
    ];
}

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
