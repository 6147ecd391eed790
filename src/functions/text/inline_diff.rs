//! `inline_diff(a, b)`: the difference word by word.
//!
//! Total, so that DuckDB may fold it, reorder it and call it on values that are in no row: a NULL argument gives NULL,
//! and so do texts beyond what can be compared. Only the time and memory of a query end it with an error.

use std::convert::Infallible;
use std::sync::Arc;

use super::sides;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::settings;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};
use crate::limits;
use crate::text::words::word_runs_until;

/// The scalar function.
pub struct InlineDiff;

impl Declared for InlineDiff {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The difference of two texts word by word",
        example: "SELECT inline_diff('the old text', 'the new text')",
    };
}

/// A run of words that are all kept, all removed or all added.
pub struct Run;

impl Row for Run {
    type Of<'a> = (&'a str, &'a str);

    const OWN: &'static [Col<Self>] = &[
        col("change", Type::Varchar, "equal, delete or insert", |(change, _), out| {
            out.push_text(Some(change))
        }),
        col("text", Type::Varchar, "The run, with its whitespace", |(_, text), out| {
            out.push_text(Some(text))
        }),
    ];
}

impl ScalarFunction for InlineDiff {
    const NAME: &'static str = "inline_diff";
    const OVERLOADS: &'static [Overload] = &[&[sides::A, sides::B]];
    const RETURNS: Type = Run::LIST;
    const VOLATILE: bool = false;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = sides::SETTINGS;
    type State = Arc<Budget>;

    fn helper(budget: &Arc<Budget>) -> Option<Arc<Budget>> {
        Some(Arc::clone(budget))
    }

    fn budget(budget: &Arc<Budget>) -> Option<&Arc<Budget>> {
        Some(budget)
    }

    fn open(settings: Settings) -> Result<Arc<Budget>> {
        Ok(settings::budget(&settings))
    }

    fn call(budget: &mut Arc<Budget>, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = |index| {
            let bytes =
                arguments.text(index).filter(|bytes| bytes.len() <= limits::INLINE_BYTES)?;
            std::str::from_utf8(bytes).ok()
        };
        let (Some(old), Some(new)) = (text(0), text(1)) else {
            out.push_null();
            return Ok(());
        };
        let runs = word_runs_until(old, new, budget.deadline());
        // Past its deadline the comparison is a rough one.
        budget.check()?;
        let Ok(()) = out.push_list(|elements| {
            for (change, text) in runs {
                Run::COLUMNS.write_struct((change.name(), &text), elements);
            }
            Ok::<(), Infallible>(())
        });
        Ok(())
    }
}
