//! `merge_conflicts(base, ours, theirs [, options])`: the places where two texts with a common base
//! change the same lines.

use super::merges;
use super::sides::Comparer;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::Args;
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::budget::Charge;
use redline_base::error::Result;
use redline_rows::{Col, ListOf, Out, Row, Written, bigint, varchar};
use redline_text::merge::Conflict;

/// The scalar function.
pub struct MergeConflicts;

/// A conflict and its number.
#[derive(Clone, Copy)]
pub struct Numbered<'a> {
    seq: i64,
    conflict: &'a Conflict<'a>,
}

impl Numbered<'_> {
    /// Returns the first line of a side, from 1; for a side without lines, the line before.
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

/// Volatile: a binary text is an error.
impl Scalar for MergeConflicts {
    const DECLARATION: Declaration = Declaration {
        name: "merge_conflicts",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Lists the conflicts of merge_texts, with the lines of the base and of both sides",
        example: "SELECT unnest(merge_conflicts('a', 'b', 'c'), recursive := true)",
    };
    const OVERLOADS: &'static [Overload] = merges::OVERLOADS;
    type Returns = ListOf<ConflictRows>;
    type State = Comparer;
    const NULLS: Nulls = Nulls::Handle;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(texts) = merges::texts(args)? else { return Ok(out.null()) };
        merges::merge(state, texts, args, |merge, _, cancel| {
            let (mut pace, mut charge) = (cancel.pace(), Charge::free());
            out.rows(|rows| {
                for (conflict, seq) in merge.conflicts().zip(1..) {
                    // A base that is split between many conflicts occurs many times in the result.
                    let bytes = conflict.texts.iter().map(|text| text.len()).sum();
                    charge.join(cancel.charge_all(bytes)?);
                    pace.pass(bytes)?;
                    rows.push(Numbered { seq, conflict: &conflict });
                }
                Ok(())
            })
        })
    }
}
