//! `merge_texts(base, ours, theirs [, options])`: the merge of two texts that were made from one.

use std::sync::Arc;

use super::merges::{self, Merger};
use super::patches::check_made;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, bigint, blob, boolean, varchar,
};

/// The scalar function.
pub struct MergeTexts;

impl Declared for MergeTexts {
    const DECLARATION: Declaration = Declaration {
        name: "merge_texts",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Two texts that were made from one, merged as git merge-file does",
        example: r"SELECT merge_texts(E'a\nb\nc\n', E'A\nb\nc\n', E'a\nb\nC\n').text",
    };
}

/// A merged text.
#[derive(Clone, Copy)]
pub struct Merged<'a> {
    text: &'a [u8],
    conflicts: usize,
}

/// The result.
pub struct MergedRow;

impl Row for MergedRow {
    type Of<'a> = Merged<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("text", "The merged text; conflicts have markers", |merged, out| {
            out.text(merged.text)
        }),
        bigint("conflicts", "How many conflicts are left", |merged| merged.conflicts.into()),
        boolean("clean", "Whether none is left", |merged| Some(merged.conflicts == 0)),
        blob("bytes", "The merged text, byte for byte", |merged, out| out.bytes(Some(merged.text))),
    ];
}

impl ScalarFunction for MergeTexts {
    const NAME: &'static str = "merge_texts";
    const OVERLOADS: &'static [Overload] = merges::OVERLOADS;
    const RETURNS: Type = MergedRow::STRUCT;
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
        merger.merge(arguments, Self::NAME, |merge, options, cancel| {
            let text = merge.text(options, cancel)?;
            check_made(&text)?;
            // Until it is handed over, the text is there as often as it has columns.
            let _charge = cancel.charge(2 * text.len())?;
            let merged = Merged { text: &text, conflicts: merge.conflicts().count() };
            MergedRow::COLUMNS.write_struct(merged, out);
            Ok(())
        })
    }
}
