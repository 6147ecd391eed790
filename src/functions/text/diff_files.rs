//! `diff_files(path_a, path_b [, context_lines [, label_a, label_b]])`: two files, as the tool
//! `Diff` compares them.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Nulls, Overload, Settings};
use crate::functions::context::diff_tool::{CONTEXT, Differ, LABEL_A, LABEL_B, Shown};
use crate::functions::params::{Args, Maybe, Name, Param, fields, required};
use crate::functions::surface::{
    Declaration, Family, Grant, Out, Scalar, State, StructOf, Written,
};
use crate::tools::DiffResult;

/// The scalar function.
pub struct DiffFiles;

const A: Param<Maybe<Name>> = required("path_a", "The path of the first file");
const B: Param<Maybe<Name>> = required("path_b", "The path of the second file");

/// Compares files on DuckDB's thread only, as DuckDB's file system reads them.
pub struct FileDiffer(Differ);

impl State for FileDiffer {
    const SETTINGS: &'static [&'static str] = Differ::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        Differ::open(settings).map(Self)
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        self.0.budget()
    }
}

impl Scalar for DiffFiles {
    const DECLARATION: Declaration = Declaration {
        name: "diff_files",
        family: Family::Text,
        grant: Grant::Tools(&["Diff"]),
        description: "Two files compared, as diff_texts compares texts",
        example: "SELECT diff_files('workspace/a.txt', 'workspace/app.py').diff",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![A, B], fields![A, B, CONTEXT], fields![A, B, CONTEXT, LABEL_A, LABEL_B]];
    type Returns = StructOf<DiffResult>;
    type State = FileDiffer;
    const NULLS: Nulls = Nulls::Handle;

    fn call(
        FileDiffer(differ): &mut FileDiffer,
        args: Args<'_>,
        out: Out<'_, Self::Returns>,
    ) -> Result<Written> {
        let (Some(a), Some(b)) = (args.get(A)?, args.get(B)?) else { return Ok(out.null()) };
        Ok(out.row(&differ.files([a, b], &Shown::of_row(args)?)?))
    }
}
