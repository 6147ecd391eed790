//! `patch_hunks(patch)`: the hunks of all files of a patch.

use std::sync::Arc;

use super::patches::{PATCH, check_made, file_path, read};
use super::sides;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};
use crate::text::CancelToken;
use crate::text::patch::{self, FilePatch, PatchHunk};

/// The scalar function.
pub struct PatchHunks;

impl Declared for PatchHunks {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The hunks of all files of a patch",
        example: "SELECT unnest(patch_hunks(patch), recursive := true) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
}

/// A hunk of a patch.
#[derive(Clone, Copy)]
pub struct HunkRow<'a> {
    seq: i64,
    file: &'a FilePatch<'a>,
    number: i64,
    hunk: &'a PatchHunk<'a>,
    /// The hunk as text.
    text: &'a [u8],
}

/// The rows of hunks.
pub struct HunkRows;

impl Row for HunkRows {
    type Of<'a> = HunkRow<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("seq", Type::BigInt, "The hunk's number in the patch, from 1", |row, out| {
            out.push_bigint(Some(row.seq))
        }),
        col("file_path", Type::Varchar, "The file, as in patch_files", |row, out| {
            out.push_bytes(file_path(row.file))
        }),
        col("hunk", Type::BigInt, "The hunk's number in its file, from 1", |row, out| {
            out.push_bigint(Some(row.number))
        }),
        col(
            "old_start",
            Type::BigInt,
            "Its first line in the old file, from 1; 0 for none",
            |row, out| {
                out.push_bigint(Some(row.hunk.old_start.into()));
            },
        ),
        col("old_lines", Type::BigInt, "Its lines of the old file", |row, out| {
            out.push_bigint(Some(row.hunk.old_lines.into()));
        }),
        col(
            "new_start",
            Type::BigInt,
            "Its first line in the new file, from 1; 0 for none",
            |row, out| {
                out.push_bigint(Some(row.hunk.new_start.into()));
            },
        ),
        col("new_lines", Type::BigInt, "Its lines of the new file", |row, out| {
            out.push_bigint(Some(row.hunk.new_lines.into()));
        }),
        col("section", Type::Varchar, "The heading behind @@", |row, out| {
            out.push_bytes(Some(row.hunk.section))
        }),
        col("patch", Type::Varchar, "The hunk, from its @@ line on", |row, out| {
            out.push_bytes(Some(row.text))
        }),
    ];
}

impl ScalarFunction for PatchHunks {
    const NAME: &'static str = "patch_hunks";
    const OVERLOADS: &'static [Overload] = &[&[PATCH]];
    const RETURNS: Type = HunkRows::LIST;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = sides::SETTINGS;
    type State = Arc<Budget>;

    fn helper(budget: &Arc<Budget>) -> Option<Arc<Budget>> {
        Some(Arc::clone(budget))
    }

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let patch = read(arguments, 0, budget)?;
        // The texts of the hunks together are about the patch.
        let _charge = budget.charge(arguments.text(0).unwrap_or_default().len())?;
        let hunks = patch.files.iter().flat_map(|file| {
            file.hunks.iter().zip(1..).map(move |(hunk, number)| (file, hunk, number))
        });
        out.push_list(|elements| {
            for ((file, hunk, number), seq) in hunks.zip(1..) {
                let text = patch::hunk_text_within(hunk, CancelToken::of(budget))?;
                check_made(&text)?;
                HunkRows::COLUMNS
                    .write_struct(HunkRow { seq, file, number, hunk, text: &text }, elements);
            }
            Ok(())
        })
    }
}
