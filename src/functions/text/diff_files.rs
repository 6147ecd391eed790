//! `diff_files(path_a, path_b [, context_lines [, label_a, label_b]])`: two files, as the tool
//! `Diff` compares them.

use std::time::Duration;

use crate::ffi::{Nulls, Overload};
use crate::functions::context::diff_tool::{CONTEXT, Differ, LABEL_A, LABEL_B, ShowOptions};
use crate::functions::params::{Args, Maybe, Name, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, StructOf, Written};
use redline_tools::DiffResult;

/// The scalar function.
pub struct DiffFiles;

const A: Param<Maybe<Name>> = required("path_a", "The path of the first file");
const B: Param<Maybe<Name>> = required("path_b", "The path of the second file");

impl Scalar for DiffFiles {
    const DECLARATION: Declaration = Declaration {
        name: "diff_files",
        family: Family::Text,
        grant: Grant::Tools(&["Diff"]),
        description: "Compares two files, like diff_texts",
        example: "SELECT diff_files('workspace/a.txt', 'workspace/app.py').diff",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![A, B], fields![A, B, CONTEXT], fields![A, B, CONTEXT, LABEL_A, LABEL_B]];
    type Returns = StructOf<DiffResult>;
    type State = Differ;
    const NULLS: Nulls = Nulls::Handle;
    /// No other thread helps, as DuckDB's file system reads the files.
    const HELPED_FROM: Duration = Duration::MAX;

    fn call(differ: &mut Differ, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let (Some(a), Some(b)) = (args.get(A)?, args.get(B)?) else { return Ok(out.null()) };
        Ok(out.row(&differ.files([a, b], &ShowOptions::of_row(args)?)?))
    }
}
