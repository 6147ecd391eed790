//! `merge_texts(base, ours, theirs [, options])`: the merge of two texts with a common base.

use super::merges;
use super::patches::check_made;
use super::sides::Comparer;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::Args;
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Col, Out, Row, StructOf, Written, bigint, blob, boolean, varchar};

/// The scalar function.
pub struct MergeTexts;

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

/// Volatile: a binary text is an error.
impl Scalar for MergeTexts {
    const DECLARATION: Declaration = Declaration {
        name: "merge_texts",
        family: Family::Text,
        grant: Grant::Everybody,
        description: "Merges two versions of a text with their common base, like git merge-file",
        example: r"SELECT merge_texts(E'a\nb\nc\n', E'A\nb\nc\n', E'a\nb\nC\n').text",
    };
    const OVERLOADS: &'static [Overload] = merges::OVERLOADS;
    type Returns = StructOf<MergedRow>;
    type State = Comparer;
    const NULLS: Nulls = Nulls::Handle;

    fn call(state: &mut Comparer, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(texts) = merges::texts(args)? else { return Ok(out.null()) };
        merges::merge(state, texts, args, |merge, options, cancel| {
            let text = merge.text(options, cancel)?;
            check_made(&text)?;
            // Until it is returned, the text is in memory once per column.
            let _charge = cancel.charge(2 * text.len())?;
            Ok(out.row(Merged { text: &text, conflicts: merge.conflicts().count() }))
        })
    }
}
