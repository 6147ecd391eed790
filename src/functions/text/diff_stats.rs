//! `diff_stats(a, b)`: how many lines and hunks differ, and how similar the texts are.
//!
//! Total, so that DuckDB may fold it, reorder it and call it on values that are in no row: a NULL argument gives NULL,
//! and so do texts beyond what can be compared. Only the time and memory of a query end it with an error.

use std::sync::Arc;

use super::sides::{self, Comparer};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};
use crate::text::DiffOptions;

/// The scalar function.
pub struct DiffStats;

impl Declared for DiffStats {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "How many lines and hunks differ between two texts, and how similar they are",
        example: "SELECT diff_stats('one line', 'another line').additions",
    };
}

/// What differs.
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
        col("additions", Type::BigInt, "Added lines", |stats, out| {
            out.push_bigint(i64::try_from(stats.additions).ok());
        }),
        col("deletions", Type::BigInt, "Removed lines", |stats, out| {
            out.push_bigint(i64::try_from(stats.deletions).ok());
        }),
        col("hunks", Type::BigInt, "Hunks, with 3 lines of context", |stats, out| {
            out.push_bigint(i64::try_from(stats.hunks).ok());
        }),
        col("similarity", Type::Double, "How similar the texts are, 0 to 1", |stats, out| {
            out.push_double(Some(stats.similarity));
        }),
    ];
}

impl ScalarFunction for DiffStats {
    const NAME: &'static str = "diff_stats";
    const OVERLOADS: &'static [Overload] = &[&[sides::A, sides::B]];
    const RETURNS: Type = Stats::STRUCT;
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
        let Some(diff) = comparer.compare(arguments, &DiffOptions::default())? else {
            out.push_null();
            return Ok(());
        };
        let stats = Stats {
            additions: diff.additions(),
            deletions: diff.deletions(),
            hunks: diff.hunks().len(),
            similarity: diff.similarity(),
        };
        Stats::COLUMNS.write_struct(stats, out);
        Ok(())
    }
}
