//! `diff_rows(a, b [, context])`: the lines of the diff, in the columns of `file_diff`.
//!
//! Total, so that DuckDB may fold it, reorder it and call it on values that are in no row: a NULL argument gives NULL,
//! and so do texts beyond what can be compared. Only the time and memory of a query end it with an error.

use std::sync::Arc;

use super::sides::{self, Comparer};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::params::named_options;
use crate::functions::surface::{Declaration, Declared, Family, Grant, Row, line_rows};
use crate::query::diff_rows::LineRows;
use crate::text::{CancelToken, DiffOptions};

/// The scalar function.
pub struct DiffRows;

impl Declared for DiffRows {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The diff of two texts line by line, as a list in the columns of file_diff",
        example: "SELECT unnest(diff_rows('old', 'new'), recursive := true)",
    };
}

impl ScalarFunction for DiffRows {
    const NAME: &'static str = "diff_rows";
    const OVERLOADS: &'static [Overload] =
        &[&[sides::A, sides::B], &[sides::A, sides::B, sides::CONTEXT]];
    const RETURNS: Type = LineRows::LIST;
    const VOLATILE: bool = false;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = sides::SETTINGS;
    type State = Comparer;

    fn helper(comparer: &Comparer) -> Option<Comparer> {
        Some(comparer.helper())
    }

    fn budget(comparer: &Comparer) -> Option<&Arc<Budget>> {
        Some(&comparer.budget)
    }

    fn open(settings: Settings) -> Result<Comparer> {
        Ok(Comparer::new(&settings))
    }

    fn call(comparer: &mut Comparer, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        // Every negative context is the whole text, so none is refused.
        let context = named_options::context(arguments.bigint(2).map(|lines| lines.max(-1)))?;
        let options = DiffOptions { context, ..DiffOptions::default() };
        match comparer.compare(arguments, &options)? {
            Some(diff) => {
                let mut rows = LineRows::default();
                rows.add(&diff, &CancelToken::of(&comparer.budget))?;
                line_rows::write_list(&rows, out);
            }
            None => out.push_null(),
        }
        Ok(())
    }
}
