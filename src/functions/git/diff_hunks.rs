//! `diff_hunks(from, to, repo)`: the hunks of all files.

use super::file_patches::{self, Bind, FilePatches};
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::surface::{Col, Declaration, Declared, Row, RowGroup, Stream, col};
use crate::git::{PatchHunk, WrittenPatch};
use crate::pipeline::{Ordered, Weigh};

/// One row per hunk of any file.
pub struct DiffHunks;

impl Declared for DiffHunks {
    const DECLARATION: Declaration = Declaration {
        name: "diff_hunks",
        description: "The hunks of all files between two sides of a repository, one row per hunk",
        example: "SELECT file_path, new_start, section FROM diff_hunks('HEAD~1', 'HEAD', '.')",
        ..FilePatches::DECLARATION
    };
}

/// The hunks of a file.
pub struct HunkRows {
    path: Vec<u8>,
    patch: WrittenPatch,
}

impl Weigh for HunkRows {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.patch.bytes.len() + self.patch.hunks.len() * size_of::<PatchHunk>()
    }
}

/// A hunk of a file.
#[derive(Clone, Copy)]
pub struct HunkRow<'a> {
    file: &'a HunkRows,
    index: usize,
}

impl<'a> HunkRow<'a> {
    fn hunk(self) -> &'a PatchHunk {
        &self.file.patch.hunks[self.index]
    }
}

impl Row for HunkRows {
    type Of<'a> = HunkRow<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("file_path", Type::Varchar, "Path from the repository's root", |row, out| {
            out.push_bytes(Some(&row.file.path));
        }),
        col("hunk", Type::BigInt, "The hunk's number in its file, from 1", |row, out| {
            out.push_bigint(i64::try_from(row.index + 1).ok());
        }),
        col(
            "old_start",
            Type::BigInt,
            "Its first line in the old file, from 1; 0 for none",
            |row, out| {
                out.push_bigint(Some(row.hunk().old.0.into()));
            },
        ),
        col("old_lines", Type::BigInt, "Its lines of the old file", |row, out| {
            out.push_bigint(Some(row.hunk().old.1.into()));
        }),
        col(
            "new_start",
            Type::BigInt,
            "Its first line in the new file, from 1; 0 for none",
            |row, out| {
                out.push_bigint(Some(row.hunk().new.0.into()));
            },
        ),
        col("new_lines", Type::BigInt, "Its lines of the new file", |row, out| {
            out.push_bigint(Some(row.hunk().new.1.into()));
        }),
        col(
            "section",
            Type::Varchar,
            "The heading behind @@, such as a function's first line",
            |row, out| {
                out.push_bytes(Some(&row.hunk().section));
            },
        ),
        col(
            "patch",
            Type::Varchar,
            "The hunk as git prints it, from its @@ line on",
            |row, out| {
                out.push_bytes(Some(&row.file.patch.bytes[row.hunk().span.clone()]));
            },
        ),
    ];
}

impl RowGroup for HunkRows {
    type Row = Self;

    fn rows(&self) -> usize {
        self.patch.hunks.len()
    }

    fn row(&self, index: usize) -> HunkRow<'_> {
        HunkRow { file: self, index }
    }
}

impl TableFunction for DiffHunks {
    const NAME: &'static str = "diff_hunks";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = HunkRows::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Bind;
    type Scan = Stream<HunkRows>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Bind> {
        file_patches::bind(arguments, named, Self::NAME)
    }

    fn open(bind: &Bind, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        Ok(Stream::new(hunks(bind, &execution)?, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Starts the work: each change with its hunks.
fn hunks(bind: &Bind, execution: &ExecutionContext) -> Result<Ordered<HunkRows>> {
    file_patches::patches(bind, execution, |change, patch| HunkRows { path: change.path, patch })
}

impl Listed for DiffHunks {
    const LIST_NAME: &'static str = "diff_hunks_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of diff_hunks as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(diff_hunks_list('HEAD~1', 'HEAD', '.', {'context': 0}), recursive := true)";
    type Element = Numbered<HunkRows>;

    fn list(bind: &Bind, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(hunks(bind, execution)?, out)
    }
}
