//! `apply_patch(text, patch)`: the text with the change of the patch's one file made.

use std::sync::Arc;

use super::patches::{PATCH, SETTINGS, push_made, read};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::text::CancelToken;
use crate::text::patch::{self, ApplyError};

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
    const SETTINGS: &'static [&'static str] = SETTINGS;
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
                let applied = patch::apply_within(text, file, CancelToken::of(budget)).map_err(misfit)?;
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

fn misfit(error: ApplyError) -> Error {
    match error {
        ApplyError::Stopped(stopped) => stopped.into(),
        error => {
            Error::invalid_args(format!("the patch does not apply: {error}")).with_source(error)
        }
    }
}
