//! `diff_texts(text_a, text_b [, context_lines [, label_a, label_b]])`: two texts, as the tool
//! `Diff` compares them.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::diff_tool::{CONTEXT, Differ, LABEL_A, LABEL_B, ShowOptions};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, StructOf, Written};
use redline_tools::DiffResult;

/// The scalar function.
pub struct DiffTexts;

const A: Param<Maybe<Bytes>> = required("text_a", "The first text");
const B: Param<Maybe<Bytes>> = required("text_b", "The second text");

impl Scalar for DiffTexts {
    const DECLARATION: Declaration = Declaration {
        name: "diff_texts",
        family: Family::Text,
        grant: Grant::Tools(&["Diff"]),
        description: "Compares two texts: the diff, cut at redline_max_diff_bytes, and statistics",
        example: "SELECT diff_texts('old', 'new').diff",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![A, B], fields![A, B, CONTEXT], fields![A, B, CONTEXT, LABEL_A, LABEL_B]];
    type Returns = StructOf<DiffResult>;
    type State = Differ;
    const NULLS: Nulls = Nulls::Handle;

    fn call(differ: &mut Differ, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let (Some(a), Some(b)) = (args.get(A)?, args.get(B)?) else { return Ok(out.null()) };
        Ok(out.row(&differ.texts([a, b], &ShowOptions::of_row(args)?)?))
    }
}
