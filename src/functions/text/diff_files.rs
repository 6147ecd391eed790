//! `diff_files(path_a, path_b [, context_lines [, label_a, label_b]])`: two files, as the tool `Diff` compares them.

use std::sync::Arc;

use super::diff_tool::{self, Differ};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::row_text;
use crate::functions::surface::records::RecordType;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::DiffResult;

/// The scalar function.
pub struct DiffFiles;

impl Declared for DiffFiles {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Tools(&["Diff"]),
        description: "Two files compared, as diff_texts compares texts",
        example: "SELECT diff_files('workspace/a.txt', 'workspace/app.py').diff",
    };
}

const SIDES: [Field; 2] = [
    Field::new("path_a", Type::Varchar, "The path of the first file"),
    Field::new("path_b", Type::Varchar, "The path of the second file"),
];
const WITH: ([Field; 3], [Field; 5]) = diff_tool::overloads(SIDES);

impl ScalarFunction for DiffFiles {
    const NAME: &'static str = "diff_files";
    const OVERLOADS: &'static [Overload] = &[&SIDES, &WITH.0, &WITH.1];
    const RETURNS: Type = RecordType::<DiffResult>::STRUCT;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Differ;

    fn budget(differ: &Differ) -> Option<&Arc<Budget>> {
        Some(&differ.execution.budget)
    }

    fn open(settings: Settings) -> Result<Differ> {
        Ok(Differ::new(ExecutionContext::open::<Self>(settings)?))
    }

    fn call(differ: &mut Differ, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        diff_tool::call(arguments, out, |shown| {
            let (a, b) = (row_text(arguments, 0, "path_a")?, row_text(arguments, 1, "path_b")?);
            differ.files([&a, &b], shown)
        })
    }
}
