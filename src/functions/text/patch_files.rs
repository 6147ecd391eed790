//! `patch_files(patch)`: the files of a patch.

use std::sync::Arc;

use super::patches::{PATCH, file_path, read};
use super::sides;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};
use crate::text::patch::FilePatch;
use crate::text::{CancelToken, LineKind};

/// The scalar function.
pub struct PatchFiles;

impl Declared for PatchFiles {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The files of a patch, with what happened to each",
        example: "SELECT unnest(patch_files(patch), recursive := true) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
}

/// A file of a patch.
pub struct PatchFile;

impl Row for PatchFile {
    type Of<'a> = (i64, &'a FilePatch<'a>);

    const OWN: &'static [Col<Self>] = &[
        col("seq", Type::BigInt, "The file's number in the patch, from 1", |(seq, _), out| {
            out.push_bigint(Some(seq))
        }),
        col(
            "file_path",
            Type::Varchar,
            "The new path, or that of a deleted file",
            |(_, file), out| {
                out.push_bytes(file_path(file));
            },
        ),
        col("status", Type::Varchar, "As in file_changes", |(_, file), out| {
            out.push_text(Some(file.status.name()))
        }),
        col("old_path", Type::Varchar, "The old path, where it is another", |(_, file), out| {
            let path = file_path(file);
            out.push_bytes(
                file.old_path.as_deref().filter(|old| Some(*old) != path && !old.is_empty()),
            );
        }),
        col(
            "old_mode",
            Type::Varchar,
            "The old mode, octal, where the patch tells",
            |(_, file), out| {
                out.push_text(mode(file.old_mode).as_deref());
            },
        ),
        col(
            "new_mode",
            Type::Varchar,
            "The new mode, octal, where the patch tells",
            |(_, file), out| {
                out.push_text(mode(file.new_mode).as_deref());
            },
        ),
        col(
            "old_oid",
            Type::Varchar,
            "The old object id, as the patch has it",
            |(_, file), out| {
                out.push_text(file.old_oid);
            },
        ),
        col(
            "new_oid",
            Type::Varchar,
            "The new object id, as the patch has it",
            |(_, file), out| {
                out.push_text(file.new_oid);
            },
        ),
        col("similarity", Type::UTinyInt, "Of a rename or copy, in percent", |(_, file), out| {
            out.push_utinyint(file.similarity);
        }),
        col(
            "is_binary",
            Type::Boolean,
            "Whether the patch says that the file is binary",
            |(_, file), out| {
                out.push_boolean(Some(file.is_binary));
            },
        ),
        col("additions", Type::BigInt, "Added lines; NULL for a binary file", |(_, file), out| {
            out.push_bigint(lines(file, LineKind::Added));
        }),
        col(
            "deletions",
            Type::BigInt,
            "Removed lines; NULL for a binary file",
            |(_, file), out| {
                out.push_bigint(lines(file, LineKind::Removed));
            },
        ),
        col("hunks", Type::BigInt, "Hunks", |(_, file), out| {
            out.push_bigint(i64::try_from(file.hunks.len()).ok());
        }),
    ];
}

fn mode(mode: Option<u32>) -> Option<String> {
    mode.map(|mode| format!("{mode:06o}"))
}

fn lines(file: &FilePatch<'_>, kind: LineKind) -> Option<i64> {
    let of_kind = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind);
    i64::try_from(of_kind.count()).ok().filter(|_| !file.is_binary)
}

impl ScalarFunction for PatchFiles {
    const NAME: &'static str = "patch_files";
    const OVERLOADS: &'static [Overload] = &[&[PATCH]];
    const RETURNS: Type = PatchFile::LIST;
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
        out.push_list(|elements| {
            let mut pace = CancelToken::of(budget).pace();
            for (file, seq) in patch.files.iter().zip(1..) {
                pace.spend(1 + file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>())?;
                PatchFile::COLUMNS.write_struct((seq, file), elements);
            }
            Ok(())
        })
    }
}
