//! `inline_diff(a, b)`: the difference word by word.
//!
//! Total, so that DuckDB may fold and reorder it and call it on values that are in no row: a NULL
//! argument returns NULL, and so do texts beyond the limits of comparing. Only the time and memory
//! of a query end it with an error.

use super::sides::{A, B, Comparer};
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_rows::{Col, ListOf, Out, Row, Written, varchar};
use redline_text::words::{change_name, word_runs};

/// The scalar function.
pub struct InlineDiff;

/// A run of words that are all kept, all removed or all added.
pub struct WordRun;

impl Row for WordRun {
    type Of<'a> = (&'a str, &'a str);

    const OWN: &'static [Col<Self>] = &[
        varchar("change", "equal, delete or insert", |(change, _), out| out.text(change)),
        varchar("text", "The run, with its whitespace", |(_, text), out| out.text(text)),
    ];
}

impl Scalar for InlineDiff {
    const DECLARATION: Declaration = Declaration {
        name: "inline_diff",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Compares two texts word by word",
        example: "SELECT inline_diff('the old text', 'the new text')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![A, B]];
    type Returns = ListOf<WordRun>;
    type State = Comparer;
    const VOLATILE: bool = false;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let text = |side| {
            let bytes: &[u8] = args.get(side)?;
            let is_taken = bytes.len() <= limits::INLINE_BYTES;
            Ok::<_, Error>(if is_taken { std::str::from_utf8(bytes).ok() } else { None })
        };
        let (Some(old), Some(new)) = (text(A)?, text(B)?) else { return Ok(out.null()) };
        let runs = word_runs(old, new, state.budget.deadline());
        // After its deadline the comparison is approximate.
        state.budget.check()?;
        Ok(out.all(runs.iter().map(|(change, text)| (change_name(*change), &**text))))
    }
}
