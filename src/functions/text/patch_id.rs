//! `patch_id(patch)`: the id of a patch, which a rebase keeps.
//!
//! Total, so that DuckDB may fold and reorder it and call it on values that are in no row: any text
//! has an id or none.

use super::patches::PATCH;
use super::sides::Comparer;
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_git as git;
use redline_rows::{Out, Varchar, Written};
use redline_text::CancelToken;

/// The scalar function.
pub struct PatchId;

impl Scalar for PatchId {
    const DECLARATION: Declaration = Declaration {
        name: "patch_id",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Returns the id of a patch, which ignores line numbers and whitespace",
        example: "SELECT patch_id(patch) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATCH]];
    type Returns = Varchar;
    type State = Comparer;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        Ok(out.text(git::patch_id(args.get(PATCH)?, &CancelToken::of(&state.budget))?))
    }
}
