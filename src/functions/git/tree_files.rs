//! `tree_files(rev, repo)` and `tree_files_list(rev, repo)`: the files of a revision, the index or the work tree.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, bigint, needing, varchar,
};
use crate::query::Revisions;
use crate::query::needs::SIZES;
use crate::query::tree_files::{FileBatch, TreeFile, TreeFilesQuery};

/// A side of a repository.
pub const REVISION: Field =
    Field::new("rev", Type::Varchar, "A revision, as git rev-parse takes it, or INDEX or WORKTREE");

impl Row for TreeFile {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| out.text(row.path())),
        varchar(
            "kind",
            "file, executable, symlink or submodule; NULL for a conflict in the index",
            |row, out| out.text(row.entry().map(|entry| entry.mode.kind_name())),
        ),
        varchar("mode", "The mode, octal, as git prints it", |row, out| {
            out.text(row.entry().map(|entry| entry.mode.to_string()))
        }),
        needing(
            SIZES,
            bigint("size", "Bytes of the content; NULL for a submodule", |row| row.size().into()),
        ),
        varchar(
            "oid",
            "The object id of the content, of a submodule that of its commit",
            |row, out| out.text(row.entry().map(|entry| entry.oid.to_string())),
        ),
    ];
}

impl Tabular for FileBatch {
    type Row = TreeFile;
}

/// The table function.
pub struct TreeFiles;

impl Declared for TreeFiles {
    const DECLARATION: Declaration = Declaration {
        name: "tree_files",
        family: Family::Git,
        grant: Grant::Tools(&["list_files", "GitFile", "GitDiff"]),
        description: "The files of a revision, the index or the work tree, as git ls-tree -r -l lists them",
        example: "SELECT file_path, size FROM tree_files('HEAD', '.') ORDER BY size DESC LIMIT 10",
    };
}

impl TableFunction for TreeFiles {
    const NAME: &'static str = "tree_files";
    const PARAMETERS: &'static [Field] = &[REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[comparison::PATHS];
    const COLUMNS: &'static [Field] = TreeFile::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = TreeFilesQuery;
    type Scan = Stream<FileBatch>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<TreeFilesQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(TreeFilesQuery(Revisions::files_of(
            required_text(&arguments[0], Self::NAME, "rev")?,
            required_text(&arguments[1], Self::NAME, "repo")?,
            named.paths()?,
        )))
    }

    fn open(query: &TreeFilesQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for TreeFiles {
    const LIST_NAME: &'static str = "tree_files_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of tree_files as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(tree_files_list('HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Element = Numbered<TreeFile>;

    fn list(query: &TreeFilesQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
