//! `merge_conflicts(base, ours, theirs [, options])`: where two texts that were made from one changed the same lines.

use std::sync::Arc;

use super::merges::{self, Merger};
use crate::budget::{Budget, Charge};
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};
use crate::text::merge::Conflict;

/// The scalar function.
pub struct MergeConflicts;

impl Declared for MergeConflicts {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Everybody,
        description: "The conflicts of merge_texts, with the lines of the base and of both sides",
        example: "SELECT unnest(merge_conflicts('a', 'b', 'c'), recursive := true)",
    };
}

/// A conflict and its number.
#[derive(Clone, Copy)]
pub struct Numbered<'a> {
    seq: i64,
    conflict: &'a Conflict<'a>,
}

impl Numbered<'_> {
    /// Returns the first line of a side from 1; of a side without lines, the line before.
    fn start(&self, side: usize) -> Option<i64> {
        let lines = &self.conflict.lines[side];
        i64::try_from(lines.start + usize::from(!lines.is_empty())).ok()
    }

    fn lines(&self, side: usize) -> Option<i64> {
        i64::try_from(self.conflict.lines[side].len()).ok()
    }

    fn push_text(&self, side: usize, out: &mut Column) {
        out.push_bytes(Some(self.conflict.texts[side]));
    }
}

/// The rows of conflicts.
pub struct ConflictRows;

const BASE: usize = 0;
const OURS: usize = 1;
const THEIRS: usize = 2;

impl Row for ConflictRows {
    type Of<'a> = Numbered<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("seq", Type::BigInt, "The conflict's number, from 1", |row, out| {
            out.push_bigint(Some(row.seq));
        }),
        col(
            "base_start",
            Type::BigInt,
            "The first line of the base that the sides changed here; without lines, the one before",
            |row, out| out.push_bigint(row.start(BASE)),
        ),
        col("base_lines", Type::BigInt, "How many lines those are", |row, out| {
            out.push_bigint(row.lines(BASE));
        }),
        col(
            "ours_start",
            Type::BigInt,
            "The first line of ours; without lines, the one before",
            |row, out| out.push_bigint(row.start(OURS)),
        ),
        col("ours_lines", Type::BigInt, "How many lines those are", |row, out| {
            out.push_bigint(row.lines(OURS));
        }),
        col(
            "theirs_start",
            Type::BigInt,
            "The first line of theirs; without lines, the one before",
            |row, out| out.push_bigint(row.start(THEIRS)),
        ),
        col("theirs_lines", Type::BigInt, "How many lines those are", |row, out| {
            out.push_bigint(row.lines(THEIRS));
        }),
        col("base", Type::Varchar, "The lines of the base", |row, out| {
            row.push_text(BASE, out);
        }),
        col("ours", Type::Varchar, "Our lines", |row, out| row.push_text(OURS, out)),
        col("theirs", Type::Varchar, "Their lines", |row, out| row.push_text(THEIRS, out)),
    ];
}

impl ScalarFunction for MergeConflicts {
    const NAME: &'static str = "merge_conflicts";
    const OVERLOADS: &'static [Overload] = merges::OVERLOADS;
    const RETURNS: Type = ConflictRows::LIST;
    // A text that is binary is an error.
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = merges::SETTINGS;
    type State = Merger;

    fn helper(merger: &Merger) -> Option<Merger> {
        Some(merger.helper())
    }

    fn budget(merger: &Merger) -> Option<&Arc<Budget>> {
        Some(&merger.budget)
    }

    fn open(settings: Settings) -> Result<Merger> {
        Ok(Merger::new(&settings))
    }

    fn call(merger: &mut Merger, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if (0..3).any(|index| arguments.is_null(index)) {
            out.push_null();
            return Ok(());
        }
        merger.merge(arguments, Self::NAME, |merge, _, cancel| {
            let mut pace = cancel.pace();
            let mut charge = Charge::free();
            out.push_list(|elements| {
                for (conflict, seq) in merge.conflicts().zip(1..) {
                    // A base that is split between many conflicts is in the result many times.
                    let bytes = conflict.texts.iter().map(|text| text.len()).sum();
                    charge.join(cancel.charge_all(bytes)?);
                    pace.pass(bytes)?;
                    let row = Numbered { seq, conflict: &conflict };
                    ConflictRows::COLUMNS.write_struct(row, elements);
                }
                Ok(())
            })
        })
    }
}
