//! `unified_diff(a, b [, context [, label_a, label_b]])`: two texts as a unified diff.

use super::sides::{A, B, Comparer};
use crate::ffi::Overload;
use crate::functions::params::{Args, Bytes, Param, TOTAL_CONTEXT, fields, text};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::budget::lossy;
use redline_base::error::Result;
use redline_base::limits;
use redline_rows::{Out, Varchar, Written};
use redline_text::unified::unified_diff;
use redline_text::{CancelToken, DiffOptions};

/// The scalar function.
///
/// Total, so that DuckDB may fold and reorder it and call it on values that are in no row: a NULL
/// argument returns NULL, a negative context means the whole text, and texts or a diff beyond the
/// limits (1,023 MiB a side, 4 GiB of diff) return NULL. Only the time and memory of a query end it
/// with an error.
pub struct UnifiedDiff;

const LABEL_A: Param<Bytes> = text("label_a", "a", "The name after ---");
const LABEL_B: Param<Bytes> = text("label_b", "b", "The name after +++");

impl Scalar for UnifiedDiff {
    const DECLARATION: Declaration = Declaration {
        name: "unified_diff",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Returns the unified diff of two texts; empty if they are equal",
        example: "SELECT unified_diff('old', 'new', 3, 'a.txt', 'b.txt')",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![A, B],
        fields![A, B, TOTAL_CONTEXT],
        fields![A, B, TOTAL_CONTEXT, LABEL_A, LABEL_B],
    ];
    type Returns = Varchar;
    type State = Comparer;
    const VOLATILE: bool = false;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let context = args.get(TOTAL_CONTEXT)?;
        let options = DiffOptions { context, ..DiffOptions::default() };
        let Some(diff) = state.compare(args, &options)? else { return Ok(out.null()) };
        let labels = (args.get(LABEL_A)?, args.get(LABEL_B)?);
        let unified = unified_diff(&diff, labels.0, labels.1, &CancelToken::of(&state.budget))?;
        // A byte that is not UTF-8 becomes three.
        let text = lossy(&unified)?;
        Ok(out.text((text.len() <= limits::VALUE_BYTES).then_some(&*text)))
    }
}
