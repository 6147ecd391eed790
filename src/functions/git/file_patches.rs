//! `file_patches(from, to, repo)`: changes as git prints them.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, blob, needing, varchar,
};
use crate::query::needs::PATCH;
use crate::query::patches::{FilePatch, PatchesQuery};

/// Validates the arguments.
pub fn bind(arguments: &[Value], named: &[Value], function: &str) -> Result<PatchesQuery> {
    let named = NamedOptions::new(&comparison::MERGE_NAMED, named);
    Ok(PatchesQuery {
        revisions: comparison::revisions(arguments, &named, function)?,
        options: named.diff_options()?,
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

impl Row for FilePatch {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| out.text(row.change.path.as_slice()),
        ),
        varchar("status", "As in file_changes", |row, out| out.text(row.change.status().name())),
        varchar("old_path", "The path that a renamed or copied file had", |row, out| {
            out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
        }),
        needing(
            PATCH,
            varchar("patch", "The patch as text, with U+FFFD for what is not UTF-8", |row, out| {
                out.text(row.patch.bytes.as_slice())
            }),
        ),
        needing(
            PATCH,
            blob("patch_bytes", "The patch, byte for byte", |row, out| {
                out.bytes(Some(&row.patch.bytes))
            }),
        ),
    ];
}

impl Tabular for FilePatch {
    type Row = Self;
}

impl TableFunction for FilePatches {
    const NAME: &'static str = "file_patches";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::MERGE_NAMED;
    const COLUMNS: &'static [Field] = FilePatch::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = PatchesQuery;
    type Scan = Stream<FilePatch>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<PatchesQuery> {
        bind(arguments, named, Self::NAME)
    }

    fn open(query: &PatchesQuery, open: Open<'_>) -> Result<Self::Scan> {
        Stream::open::<Self>(query, open)
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
    type Element = Numbered<FilePatch>;

    fn list(query: &PatchesQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
