//! `diff_stats(a, b)`: the numbers of changed lines and hunks, and the similarity of the texts.
//!
//! Total, so that DuckDB may fold and reorder it and call it on values that are in no row: a NULL
//! argument returns NULL, and so do texts beyond the limits of comparing. Only the time and memory
//! of a query end it with an error.

use super::sides::{A, B, Comparer};
use crate::ffi::Overload;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Col, Out, Row, StructOf, Written, bigint, double};
use redline_text::DiffOptions;

/// The scalar function.
pub struct DiffStats;

/// The differences.
#[derive(Clone, Copy)]
pub struct Stats {
    additions: u64,
    deletions: u64,
    hunks: usize,
    similarity: f64,
}

impl Row for Stats {
    type Of<'a> = Self;

    const OWN: &'static [Col<Self>] = &[
        bigint("additions", "Added lines", |stats| stats.additions.into()),
        bigint("deletions", "Removed lines", |stats| stats.deletions.into()),
        bigint("hunks", "Hunks, with 3 lines of context", |stats| stats.hunks.into()),
        double("similarity", "How similar the texts are, 0 to 1", |stats| Some(stats.similarity)),
    ];
}

impl Scalar for DiffStats {
    const DECLARATION: Declaration = Declaration {
        name: "diff_stats",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Counts the lines and hunks that differ between two texts, and measures their similarity",
        example: "SELECT diff_stats('one line', 'another line').additions",
    };
    const OVERLOADS: &'static [Overload] = &[fields![A, B]];
    type Returns = StructOf<Stats>;
    type State = Comparer;
    const VOLATILE: bool = false;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(diff) = state.compare(args, &DiffOptions::default())? else {
            return Ok(out.null());
        };
        Ok(out.row(Stats {
            additions: diff.additions(),
            deletions: diff.deletions(),
            hunks: diff.hunks().len(),
            similarity: diff.similarity(),
        }))
    }
}
