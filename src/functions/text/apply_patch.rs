//! `apply_patch(text, patch)`: the text with the patch of one file applied; `try_apply_patch`: NULL
//! if that is not possible.

use super::patches::{PATCH, file_path, made, read};
use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, Bytes, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::budget::Budget;
use redline_base::error::{Error, ErrorKind, Result, quoted};
use redline_rows::{Out, Varchar, Written};
use redline_text::CancelToken;
use redline_text::patch::{self, ApplyError, FilePatch};

/// The scalar function.
pub struct ApplyPatch;

const TEXT: Param<Bytes> = required("text", "The text to change");

impl Scalar for ApplyPatch {
    const DECLARATION: Declaration = Declaration {
        name: "apply_patch",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Applies a patch to a text exactly, without fuzz",
        example: "SELECT apply_patch('old', unified_diff('old', 'new'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![TEXT, PATCH]];
    type Returns = Varchar;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        made(out, &applied(&state.budget, args)?)
    }
}

/// The scalar function that returns NULL instead of an error.
pub struct TryApplyPatch;

impl Scalar for TryApplyPatch {
    const DECLARATION: Declaration = Declaration {
        name: "try_apply_patch",
        description: "Like apply_patch, but returns NULL if the patch cannot be read or does not apply",
        example: "SELECT try_apply_patch('another text', unified_diff('old', 'new')) IS NULL",
        ..ApplyPatch::DECLARATION
    };
    const OVERLOADS: &'static [Overload] = ApplyPatch::OVERLOADS;
    type Returns = Varchar;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        match applied(&state.budget, args) {
            Ok(text) => made(out, &text),
            // An error that ends the query, such as its time limit, is not about the patch.
            Err(error) if error.kind() != ErrorKind::InvalidArgs => Err(error),
            Err(_) => Ok(out.null()),
        }
    }
}

/// Returns the argument `text` with the patch applied.
fn applied(budget: &Budget, args: Args<'_>) -> Result<Vec<u8>> {
    let text = args.get(TEXT)?;
    match read(args, budget)?.files.as_slice() {
        // The output of unified_diff and git for equal texts.
        [] => Ok(text.to_vec()),
        [file] => patch::apply_within(text, file, CancelToken::of(budget))
            .map_err(|error| misfit(error, text, file)),
        files => {
            Err(Error::invalid_args(format!("the patch has {} files, and apply_patch takes one", files.len()))
                .with_hint(
                    "Give the part of the patch that is about this text; patch_files(patch) lists the files",
                ))
        }
    }
}

/// Describes where a patch does not fit, and quotes the patch and the text so that the row can be
/// found.
fn misfit(error: ApplyError, text: &[u8], file: &FilePatch<'_>) -> Error {
    /// The number of quoted characters.
    const SHOWN: usize = 40;
    match error {
        ApplyError::Stopped(stopped) => stopped.into(),
        error => {
            let start: String = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)])
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(SHOWN)
                .collect();
            let path = file_path(file).map(String::from_utf8_lossy).unwrap_or_default();
            Error::invalid_args(format!("the patch does not apply: {error}"))
                .with_source(error)
                .with_hint(format!(
                    "The patch is for {}, the text starts with {}; try_apply_patch returns NULL for a patch that does not fit",
                    quoted(&path),
                    quoted(&start)
                ))
        }
    }
}
