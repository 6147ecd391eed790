//! `apply_patch(text, patch)`: the text with the change of the patch's one file made; `try_apply_patch`: NULL where that
//! is not possible.

use std::sync::Arc;

use super::patches::{PATCH, file_path, push_made, read};
use super::sides;
use crate::budget::Budget;
use crate::error::{Error, ErrorKind, Result, quoted};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::text::CancelToken;
use crate::text::patch::{self, ApplyError, FilePatch};

/// The scalar function.
pub struct ApplyPatch;

impl Declared for ApplyPatch {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "A text with a patch's change made; exact, without fuzz",
        example: "SELECT apply_patch('old', unified_diff('old', 'new'))",
    };
}

const TEXT: Field = Field::new("text", Type::Varchar, "The text to change");

impl ScalarFunction for ApplyPatch {
    const NAME: &'static str = "apply_patch";
    const OVERLOADS: &'static [Overload] = &[&[TEXT, PATCH]];
    const RETURNS: Type = Type::Varchar;
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
        push_made(out, &applied(budget, arguments)?)
    }
}

/// The scalar function that gives NULL instead of an error.
pub struct TryApplyPatch;

impl Declared for TryApplyPatch {
    const DECLARATION: Declaration = Declaration {
        description: "As apply_patch; NULL where the patch cannot be read or does not apply",
        example: "SELECT try_apply_patch('another text', unified_diff('old', 'new')) IS NULL",
        ..ApplyPatch::DECLARATION
    };
}

impl ScalarFunction for TryApplyPatch {
    const NAME: &'static str = "try_apply_patch";
    const OVERLOADS: &'static [Overload] = ApplyPatch::OVERLOADS;
    const RETURNS: Type = Type::Varchar;
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
        match applied(budget, arguments) {
            Ok(text) => push_made(out, &text),
            // What ends the query, such as its time, is no answer about the patch.
            Err(error) if error.kind() != ErrorKind::InvalidArgs => Err(error),
            Err(_) => {
                out.push_null();
                Ok(())
            }
        }
    }
}

/// Returns the first argument with the patch that is the second applied.
fn applied(budget: &Budget, arguments: Arguments<'_>) -> Result<Vec<u8>> {
    let text = arguments.text(0).unwrap_or_default();
    match read(arguments, 1, budget)?.files.as_slice() {
        // What unified_diff and git print for equal texts.
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

/// Says where a patch does not fit, and which patch and text they are, so that the row is found.
fn misfit(error: ApplyError, text: &[u8], file: &FilePatch<'_>) -> Error {
    /// Characters of the text that are shown.
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
                    "The patch is for {}, the text starts with {}; try_apply_patch gives NULL where a patch does not fit",
                    quoted(&path),
                    quoted(&start)
                ))
        }
    }
}
