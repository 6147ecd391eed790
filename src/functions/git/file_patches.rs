//! `file_patches(from, to, repo)`: changes as git prints them.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison::{self, NamedOptions, Revisions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{Change, WrittenPatch};
use crate::pipeline::{Ordered, Weigh};
use crate::text::{CancelToken, DiffOptions};

/// What is compared, and how.
pub type Bind = (Revisions, DiffOptions);

/// Validates the arguments.
pub fn bind(arguments: &[Value], named: &[Value], function: &str) -> Result<Bind> {
    let named = NamedOptions::new(&comparison::NAMED, named);
    Ok((Revisions::bind(arguments, &named, function)?, named.diff_options()?))
}

/// Starts the work: each change with its patch, made into a row or rows.
pub fn patches<G: RowGroup>(
    (revisions, options): &Bind,
    execution: &ExecutionContext,
    row: fn(Change, WrittenPatch) -> G,
) -> Result<Ordered<G>> {
    revisions.work(execution, |comparison| {
        let mut patcher = comparison.patcher(options.clone())?;
        Ok(move |change: Change, cancel: &CancelToken<'_>| {
            let patch = patcher.patch(&change, cancel)?;
            Ok(row(change, patch))
        })
    })
}

/// One row per changed file.
pub struct FilePatches;

impl Declared for FilePatches {
    const DECLARATION: Declaration = Declaration {
        name: "file_patches",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "The changed files with their patches, byte for byte as git diff prints them",
        example: "SELECT string_agg(patch, '') FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
}

/// A file's row.
pub struct PatchRow {
    change: Change,
    patch: WrittenPatch,
}

impl Weigh for PatchRow {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len() + self.patch.bytes.len()
    }
}

/// What a column needs: the patch.
const PATCH: u8 = 1;

impl Row for PatchRow {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col(
            "file_path",
            Type::Varchar,
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| {
                out.push_bytes(Some(&row.change.path));
            },
        ),
        col("status", Type::Varchar, "As in file_changes", |row, out| {
            out.push_text(Some(row.change.status().name()))
        }),
        col("old_path", Type::Varchar, "The path that a renamed or copied file had", |row, out| {
            out.push_bytes(row.change.origin.as_ref().map(|origin| origin.path.as_slice()));
        }),
        needing(
            PATCH,
            col(
                "patch",
                Type::Varchar,
                "The patch as text, with U+FFFD for what is not UTF-8",
                |row, out| {
                    out.push_bytes(Some(&row.patch.bytes));
                },
            ),
        ),
        needing(
            PATCH,
            col("patch_bytes", Type::Blob, "The patch, byte for byte", |row, out| {
                out.push_blob(Some(&row.patch.bytes))
            }),
        ),
    ];
}

impl RowGroup for PatchRow {
    type Row = Self;

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> &Self {
        self
    }
}

impl TableFunction for FilePatches {
    const NAME: &'static str = "file_patches";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = PatchRow::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Bind;
    type Scan = Stream<PatchRow>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Bind> {
        bind(arguments, named, Self::NAME)
    }

    fn open(bind: &Bind, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs_patch = PatchRow::COLUMNS.needs(open.projection) & PATCH != 0;
        let row = |change, patch| PatchRow { change, patch };
        let rows = if needs_patch {
            patches(bind, &execution, row)?
        } else {
            bind.0.work(&execution, |_| {
                Ok(move |change, _: &CancelToken<'_>| Ok(row(change, WrittenPatch::default())))
            })?
        };
        Ok(Stream::new(rows, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for FilePatches {
    const LIST_NAME: &'static str = "file_patches_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_patches as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_patches_list('HEAD~1', 'HEAD', '.', {'context': 1}), recursive := true)";
    type Element = Numbered<PatchRow>;

    fn list(bind: &Bind, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(patches(bind, execution, |change, patch| PatchRow { change, patch })?, out)
    }
}
