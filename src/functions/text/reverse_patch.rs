//! `reverse_patch(patch)`: the patch that undoes another.

use std::sync::Arc;

use super::patches::{PATCH, push_made, unreadable};
use super::sides;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::text::CancelToken;
use crate::text::patch;

/// The scalar function.
pub struct ReversePatch;

impl Declared for ReversePatch {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The patch that undoes another",
        example: "SELECT reverse_patch(unified_diff('old', 'new'))",
    };
}

impl ScalarFunction for ReversePatch {
    const NAME: &'static str = "reverse_patch";
    const OVERLOADS: &'static [Overload] = &[&[PATCH]];
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
        let text = arguments.text(0).unwrap_or_default();
        let reversed = patch::reverse_within(text, CancelToken::of(budget)).map_err(unreadable)?;
        push_made(out, &reversed)
    }
}
