//! `merge_conflicts(base, ours, theirs [, options])`: where two texts that were made from one changed the same lines.

use std::sync::Arc;

use super::merges::{self, Merger};
use crate::budget::{Budget, Charge};
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, bigint, varchar};
use crate::text::merge::Conflict;

/// The scalar function.
pub struct MergeConflicts;

impl Declared for MergeConflicts {
    const DECLARATION: Declaration = Declaration {
        name: "merge_conflicts",
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
    fn start(&self, side: usize) -> usize {
        let lines = &self.conflict.lines[side];
        lines.start + usize::from(!lines.is_empty())
    }

    fn lines(&self, side: usize) -> usize {
        self.conflict.lines[side].len()
    }

    fn text(&self, side: usize) -> &[u8] {
        self.conflict.texts[side]
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
        bigint("seq", "The conflict's number, from 1", |row| row.seq.into()),
        bigint(
            "base_start",
            "The first line of the base that the sides changed here; without lines, the one before",
            |row| row.start(BASE).into(),
        ),
        bigint("base_lines", "How many lines those are", |row| row.lines(BASE).into()),
        bigint("ours_start", "The first line of ours; without lines, the one before", |row| {
            row.start(OURS).into()
        }),
        bigint("ours_lines", "How many lines those are", |row| row.lines(OURS).into()),
        bigint("theirs_start", "The first line of theirs; without lines, the one before", |row| {
            row.start(THEIRS).into()
        }),
        bigint("theirs_lines", "How many lines those are", |row| row.lines(THEIRS).into()),
        varchar("base", "The lines of the base", |row, out| out.text(row.text(BASE))),
        varchar("ours", "Our lines", |row, out| out.text(row.text(OURS))),
        varchar("theirs", "Their lines", |row, out| out.text(row.text(THEIRS))),
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
