//! `diff_rows(a, b [, context])`: the lines of the diff, in the columns of `file_diff`.
//!
//! Total, so that DuckDB may fold and reorder it and call it on values that are in no row: a NULL
//! argument returns NULL, and so do texts beyond the limits of comparing. Only the time and memory
//! of a query end it with an error.

use super::sides::{A, B, Comparer};
use crate::ffi::Overload;
use crate::functions::params::{Args, TOTAL_CONTEXT, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_query::RowGroup;
use redline_query::questions::diff_rows::LineRows;
use redline_rows::{ListOf, Out, Written};
use redline_text::{CancelToken, DiffOptions};

/// The scalar function.
pub struct DiffRows;

impl Scalar for DiffRows {
    const DECLARATION: Declaration = Declaration {
        name: "diff_rows",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Compares two texts line by line and returns a list with the columns of file_diff",
        example: "SELECT unnest(diff_rows('old', 'new'), recursive := true)",
    };
    const OVERLOADS: &'static [Overload] = &[fields![A, B], fields![A, B, TOTAL_CONTEXT]];
    type Returns = ListOf<LineRows>;
    type State = Comparer;
    const VOLATILE: bool = false;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let options = DiffOptions { context: args.get(TOTAL_CONTEXT)?, ..DiffOptions::default() };
        let Some(diff) = state.compare(args, &options)? else { return Ok(out.null()) };
        let mut lines = LineRows::default();
        lines.add(&diff, &CancelToken::of(&state.budget))?;
        Ok(out.all((0..lines.rows()).map(|index| lines.row(index))))
    }
}
