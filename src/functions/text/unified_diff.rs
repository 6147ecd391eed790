//! `unified_diff(a, b [, context [, label_a, label_b]])`: two texts as a unified diff.

use std::sync::Arc;

use super::sides::{self, Comparer};
use crate::budget::{Budget, lossy};
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::limits;
use crate::text::unified::unified_diff;
use crate::text::{CancelToken, DiffOptions};

/// The scalar function.
///
/// It is total, so that DuckDB may fold it, reorder it and call it on values that are in no row:
/// a NULL argument gives NULL, a negative context the whole text, and texts or a diff beyond what
/// can be compared or stored (1,023 MiB a side, 4 GiB of diff) give NULL. Only the time and memory of a
/// query end it with an error.
pub struct UnifiedDiff;

impl Declared for UnifiedDiff {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Two texts as a unified diff; empty when they are equal",
        example: "SELECT unified_diff('old', 'new', 3, 'a.txt', 'b.txt')",
    };
}

const LABEL_A: Field = Field::optional("label_a", Type::Varchar, "'a'", "The name behind ---");
const LABEL_B: Field = Field::optional("label_b", Type::Varchar, "'b'", "The name behind +++");

impl ScalarFunction for UnifiedDiff {
    const NAME: &'static str = "unified_diff";
    const OVERLOADS: &'static [Overload] = &[
        &[sides::A, sides::B],
        &[sides::A, sides::B, sides::CONTEXT],
        &[sides::A, sides::B, sides::CONTEXT, LABEL_A, LABEL_B],
    ];
    const RETURNS: Type = Type::Varchar;
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
        let context = match arguments.bigint(2) {
            None => Some(DiffOptions::CONTEXT),
            Some(lines) if lines < 0 => None,
            Some(lines) => Some(u32::try_from(lines).unwrap_or(u32::MAX)),
        };
        let Some(diff) =
            comparer.compare(arguments, &DiffOptions { context, ..DiffOptions::default() })?
        else {
            out.push_null();
            return Ok(());
        };
        let labels = (arguments.text(3).unwrap_or(b"a"), arguments.text(4).unwrap_or(b"b"));
        let unified = unified_diff(&diff, labels.0, labels.1, &CancelToken::of(&comparer.budget))?;
        // A byte that is no UTF-8 becomes three.
        let text = lossy(&unified)?;
        out.push_text((text.len() <= limits::VALUE_BYTES).then_some(&*text));
        Ok(())
    }
}
