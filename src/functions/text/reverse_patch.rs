//! `reverse_patch(patch)`: the patch that undoes another.

use super::patches::{PATCH, made};
use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, Varchar, Written};
use redline_text::CancelToken;
use redline_text::patch;

/// The scalar function.
pub struct ReversePatch;

impl Scalar for ReversePatch {
    const DECLARATION: Declaration = Declaration {
        name: "reverse_patch",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Returns the patch that undoes another",
        example: "SELECT reverse_patch(unified_diff('old', 'new'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATCH]];
    type Returns = Varchar;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let reversed = patch::reverse_within(args.get(PATCH)?, CancelToken::of(&state.budget));
        made(out, &reversed?)
    }
}
