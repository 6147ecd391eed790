//! `patch_files`, `patch_hunks`, `apply_patch` and `reverse_patch`: patches as data.
//!
//! A patch can be malformed, so each of them can raise and is volatile: DuckDB would else call it
//! on values that are in no row.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::limits;
use crate::text::patch::{self, ApplyError, FilePatch, PatchError, Read};
use crate::text::{LineKind, Stop};

fn unreadable(error: PatchError) -> Error {
    match error {
        PatchError::Stopped(stopped) => stopped.into(),
        error => Error::invalid_args(format!("the patch cannot be used: {error}")).with_source(error),
    }
}

/// Returns the files of the patch that is argument `index`.
fn read<'a>(arguments: Arguments<'a>, index: usize, budget: &'a Budget) -> Result<Read<'a>> {
    patch::parse_within(arguments.text(index).unwrap_or_default(), Stop::of(budget)).map_err(unreadable)
}

fn misfit(error: ApplyError) -> Error {
    match error {
        ApplyError::Stopped(stopped) => stopped.into(),
        error => Error::invalid_args(format!("the patch does not apply: {error}")).with_source(error),
    }
}

/// Returns the path that names a file: the new one, or that of a deleted file; `None` when the
/// patch names none.
fn file_path<'f>(file: &'f FilePatch<'_>) -> Option<&'f [u8]> {
    file.new_path.as_deref().or(file.old_path.as_deref()).filter(|path| !path.is_empty())
}

/// Appends a text that was made from the arguments.
fn push_made(out: &mut Column, text: &[u8]) -> Result<()> {
    if text.len() > limits::VALUE_BYTES {
        return Err(Error::too_large(format!("the result has {} bytes", text.len()))
            .with_hint("A value has at most 4 GiB; use fewer files at once"));
    }
    out.push_bytes(Some(text));
    Ok(())
}

/// `patch_files(patch)`: the files of a patch.
pub struct PatchFiles;

const FILES: [Field; 13] = [
    Field::new("seq", Type::BigInt),
    Field::new("file_path", Type::Varchar),
    Field::new("status", Type::Varchar),
    Field::new("old_path", Type::Varchar),
    Field::new("old_mode", Type::Varchar),
    Field::new("new_mode", Type::Varchar),
    Field::new("old_oid", Type::Varchar),
    Field::new("new_oid", Type::Varchar),
    Field::new("similarity", Type::UTinyInt),
    Field::new("is_binary", Type::Boolean),
    Field::new("additions", Type::BigInt),
    Field::new("deletions", Type::BigInt),
    Field::new("hunks", Type::BigInt),
];

fn push_file(fields: &mut [Column], seq: i64, file: &FilePatch<'_>) {
    let path = file_path(file);
    let old_path = file.old_path.as_deref().filter(|old| Some(*old) != path && !old.is_empty());
    let mode = |mode: Option<u32>| mode.map(|mode| format!("{mode:06o}"));
    let lines = |kind: LineKind| {
        let of_kind = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind);
        i64::try_from(of_kind.count()).ok().filter(|_| !file.is_binary)
    };
    for (field, column) in FILES.iter().zip(fields) {
        match field.name {
            "seq" => column.push_bigint(Some(seq)),
            "file_path" => column.push_bytes(path),
            "status" => column.push_text(Some(file.status.name())),
            "old_path" => column.push_bytes(old_path),
            "old_mode" => column.push_text(mode(file.old_mode).as_deref()),
            "new_mode" => column.push_text(mode(file.new_mode).as_deref()),
            "old_oid" => column.push_text(file.old_oid),
            "new_oid" => column.push_text(file.new_oid),
            "similarity" => column.push_utinyint(file.similarity),
            "is_binary" => column.push_boolean(Some(file.is_binary)),
            "additions" => column.push_bigint(lines(LineKind::Added)),
            "deletions" => column.push_bigint(lines(LineKind::Removed)),
            "hunks" => column.push_bigint(i64::try_from(file.hunks.len()).ok()),
            other => unreachable!("no column {other}"),
        }
    }
}

impl ScalarFunction for PatchFiles {
    const NAME: &'static str = "patch_files";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar]];
    const RETURNS: Type = Type::List(&Type::Struct(&FILES));
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[settings::MAX_SECONDS];
    type State = Arc<Budget>;

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let patch = read(arguments, 0, budget)?;
        out.push_list(|elements| {
            let mut pace = Stop::of(budget).pace();
            for (file, seq) in patch.files.iter().zip(1..) {
                pace.spend(1 + file.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>())?;
                push_file(elements.fields_mut(), seq, file);
            }
            Ok(())
        })
    }
}

/// `patch_hunks(patch)`: the hunks of all files of a patch.
pub struct PatchHunks;

const HUNKS: [Field; 9] = [
    Field::new("seq", Type::BigInt),
    Field::new("file_path", Type::Varchar),
    Field::new("hunk", Type::BigInt),
    Field::new("old_start", Type::BigInt),
    Field::new("old_lines", Type::BigInt),
    Field::new("new_start", Type::BigInt),
    Field::new("new_lines", Type::BigInt),
    Field::new("section", Type::Varchar),
    Field::new("patch", Type::Varchar),
];

impl ScalarFunction for PatchHunks {
    const NAME: &'static str = "patch_hunks";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar]];
    const RETURNS: Type = Type::List(&Type::Struct(&HUNKS));
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[settings::MAX_SECONDS];
    type State = Arc<Budget>;

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let patch = read(arguments, 0, budget)?;
        // The texts of the hunks together are about the patch.
        let _charge = budget.charge(arguments.text(0).unwrap_or_default().len())?;
        let hunks = patch
            .files
            .iter()
            .flat_map(|file| file.hunks.iter().zip(1..).map(move |(hunk, number)| (file, hunk, number)));
        out.push_list(|elements| {
            for ((file, hunk, number), seq) in hunks.zip(1..) {
                for (field, column) in HUNKS.iter().zip(elements.fields_mut()) {
                    match field.name {
                        "seq" => column.push_bigint(Some(seq)),
                        "file_path" => column.push_bytes(file_path(file)),
                        "hunk" => column.push_bigint(Some(number)),
                        "old_start" => column.push_bigint(Some(hunk.old_start.into())),
                        "old_lines" => column.push_bigint(Some(hunk.old_lines.into())),
                        "new_start" => column.push_bigint(Some(hunk.new_start.into())),
                        "new_lines" => column.push_bigint(Some(hunk.new_lines.into())),
                        "section" => column.push_bytes(Some(hunk.section)),
                        "patch" => push_made(column, &patch::hunk_text_within(hunk, Stop::of(budget))?)?,
                        other => unreachable!("no column {other}"),
                    }
                }
            }
            Ok(())
        })
    }
}

/// `apply_patch(text, patch)`: the text with the change of the patch's one file made.
pub struct ApplyPatch;

impl ScalarFunction for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[settings::MAX_SECONDS];
    type State = Arc<Budget>;

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = arguments.text(0).unwrap_or_default();
        match read(arguments, 1, budget)?.files.as_slice() {
            // What unified_diff and git print for equal texts.
            [] => push_made(out, text),
            [file] => {
                let applied = patch::apply_within(text, file, Stop::of(budget)).map_err(misfit)?;
                push_made(out, &applied)
            }
            files => {
                Err(Error::invalid_args(format!("the patch has {} files, and apply_patch takes one", files.len()))
                    .with_hint(
                        "Give the part of the patch that is about this text; patch_files(patch) lists the files",
                    ))
            }
        }
    }
}

/// `reverse_patch(patch)`: the patch that undoes another.
pub struct ReversePatch;

impl ScalarFunction for ReversePatch {
    const NAME: &'static str = "reverse_patch";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = &[settings::MAX_SECONDS];
    type State = Arc<Budget>;

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let reversed =
            patch::reverse_within(arguments.text(0).unwrap_or_default(), Stop::of(budget)).map_err(unreadable)?;
        push_made(out, &reversed)
    }
}
