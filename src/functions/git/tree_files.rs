//! `tree_files(rev, repo)` and `tree_files_list(rev, repo)`: the files of a revision, the index or the work tree.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, CallersWalk, NamedOptions, Revisions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{Change, Entry, Measure, Measured};
use crate::pipeline::{Ordered, Weigh};
use crate::text::{CancelToken, DiffOptions};

/// What a column needs: the object's header.
const SIZE: u8 = 1;

/// A side of a repository.
pub const REVISION: Field =
    Field::new("rev", Type::Varchar, "A revision, as git rev-parse takes it, or INDEX or WORKTREE");

/// A file of a side: as what nothing was changed to.
pub struct TreeFile(Measured);

impl TreeFile {
    fn entry(&self) -> Option<Entry> {
        self.0.change.new
    }
}

impl Row for TreeFile {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("file_path", Type::Varchar, "Path from the repository's root", |row, out| {
            out.push_bytes(Some(&row.0.change.path));
        }),
        col(
            "kind",
            Type::Varchar,
            "file, executable, symlink or submodule; NULL for a conflict in the index",
            |row, out| out.push_text(row.entry().map(|entry| entry.mode.kind_name())),
        ),
        col("mode", Type::Varchar, "The mode, octal, as git prints it", |row, out| {
            out.push_text(row.entry().map(|entry| entry.mode.to_string()).as_deref());
        }),
        needing(
            SIZE,
            col("size", Type::BigInt, "Bytes of the content; NULL for a submodule", |row, out| {
                out.push_bigint(row.0.new_size.and_then(|bytes| i64::try_from(bytes).ok()));
            }),
        ),
        col(
            "oid",
            Type::Varchar,
            "The object id of the content, of a submodule that of its commit",
            |row, out| out.push_text(row.entry().map(|entry| entry.oid.to_string()).as_deref()),
        ),
    ];
}

/// Some files that follow each other.
pub struct FileBatch(Vec<TreeFile>);

impl Weigh for FileBatch {
    fn bytes(&self) -> usize {
        self.0.iter().map(|file| file.0.bytes()).sum()
    }
}

impl RowGroup for FileBatch {
    type Row = TreeFile;

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize) -> &TreeFile {
        &self.0[index]
    }
}

/// Starts the listing.
fn start(
    revisions: &Revisions,
    sizes: bool,
    execution: &ExecutionContext,
) -> Result<Ordered<FileBatch>> {
    revisions.work_in_batches(execution, |comparison| {
        let measure = Measure { sizes, lines: false };
        let mut measurer = comparison.measurer(measure, DiffOptions::default());
        Ok(move |changes: Vec<Change>, cancel: &CancelToken<'_>| {
            let measured = |change| measurer.measure(change, cancel).map(TreeFile);
            changes.into_iter().map(measured).collect::<Result<_>>().map(FileBatch)
        })
    })
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

/// A running scan.
pub enum Scan {
    /// Without sizes: the walk itself, on the thread that reads, and the projection.
    Walk(CallersWalk, Vec<usize>),
    /// With workers.
    Workers(Box<Stream<FileBatch>>),
}

impl TableFunction for TreeFiles {
    const NAME: &'static str = "tree_files";
    const PARAMETERS: &'static [Field] = &[REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[comparison::PATHS];
    const COLUMNS: &'static [Field] = TreeFile::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Revisions;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Revisions> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Revisions::files_of(
            required_text(&arguments[0], Self::NAME, "rev")?,
            required_text(&arguments[1], Self::NAME, "repo")?,
            named.paths()?,
        ))
    }

    fn open(revisions: &Revisions, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let sizes = TreeFile::COLUMNS.needs(open.projection) & SIZE != 0;
        if !sizes && let Some(walk) = revisions.walk(&execution)? {
            return Ok(Scan::Walk(walk, open.projection.to_vec()));
        }
        let rows = start(revisions, sizes, &execution)?;
        Ok(Scan::Workers(Box::new(Stream::new(rows, open.projection))))
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        match scan {
            Scan::Workers(rows) => rows.fill(batch),
            Scan::Walk(walk, projection) => walk.fill(batch, |change, batch| {
                let row = TreeFile(Measured::unmeasured(change));
                TreeFile::COLUMNS.write_projected(&row, projection, batch.columns_mut());
            }),
        }
    }
}

impl Listed for TreeFiles {
    const LIST_NAME: &'static str = "tree_files_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of tree_files as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(tree_files_list('HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Element = Numbered<TreeFile>;

    fn list(revisions: &Revisions, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(start(revisions, true, execution)?, out)
    }
}
