//! `file_patches(from, to, repo)`: changes as git prints them.

use crate::ffi::Field;
use crate::functions::params::{Args, comparison};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, blob, varchar,
};
use redline_base::error::Result;
use redline_query::Need;
use redline_query::patches::{FilePatch, PatchesQuery};

/// One row per changed file.
pub struct FilePatches;

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
        varchar::<Self>("patch", "The patch as text, with U+FFFD for what is not UTF-8", |row, out| {
            out.text(row.patch.bytes.as_slice())
        })
        .needing(&[Need::Patch]),
        blob::<Self>("patch_bytes", "The patch, byte for byte", |row, out| {
            out.bytes(Some(&row.patch.bytes))
        })
        .needing(&[Need::Patch]),
        varchar::<Self>(
            "hunk_id",
            "A digest of a change without hunks: a mode, a name, a binary or an empty file; else NULL",
            |row, out| out.text(row.id.as_ref().map(|id| id.lines.as_str())),
        )
        .needing(&[Need::HunkId]),
        varchar::<Self>("context_id", "The same", |row, out| {
            out.text(row.id.as_ref().map(|id| id.context.as_str()))
        })
        .needing(&[Need::HunkId]),
    ];
}

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
