//! `diff_texts(text_a, text_b [, context_lines [, label_a, label_b]])`: two texts, as the tool
//! `Diff` compares them.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::diff_tool::{CONTEXT, Differ, LABEL_A, LABEL_B, Shown};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, required};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, Out, Row, Scalar, StructOf, Written, bigint, boolean, varchar,
};
use redline_base::error::Result;
use redline_tools::DiffResult;

/// The scalar function.
pub struct DiffTexts;

const A: Param<Maybe<Bytes>> = required("text_a", "The first text");
const B: Param<Maybe<Bytes>> = required("text_b", "The second text");

impl Row for DiffResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "diff",
            "The unified diff, with U+FFFD for what is not UTF-8; empty when the contents are \
             equal. If one is binary, git's line that they differ.",
            |result, out| out.text(result.diff.as_str()),
        ),
        varchar("label_a", "The name of the first content, as given.", |result, out| {
            out.text(result.label_a.as_str())
        }),
        varchar("label_b", "The name of the second content, as given.", |result, out| {
            out.text(result.label_b.as_str())
        }),
        bigint(
            "lines_a",
            "Lines of the first content, 1 more when its last has no newline.",
            |result| result.lines_a.into(),
        ),
        bigint("lines_b", "Lines of the second content, counted likewise.", |result| {
            result.lines_b.into()
        }),
        boolean("identical", "Whether the contents are equal byte for byte.", |result| {
            Some(result.identical)
        }),
        bigint("diff_lines", "Lines of `diff`.", |result| result.diff_lines.into()),
        boolean(
            "truncated",
            "Whether `diff` was cut at the end of a line: it then ends in `[diff truncated at N \
             bytes]`, where N counts the bytes before that.",
            |result| Some(result.truncated),
        ),
    ];
}

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
        Ok(out.row(&differ.texts([a, b], &Shown::of_row(args)?)?))
    }
}
