//! `diff_texts(text_a, text_b [, context_lines [, label_a, label_b]])`: two texts, as the tool `Diff` compares them.

use std::sync::Arc;

use super::diff_tool::{self, Differ};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::surface::records::RecordType;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::DiffResult;

/// The scalar function.
pub struct DiffTexts;

impl Declared for DiffTexts {
    const DECLARATION: Declaration = Declaration {
        family: Family::Text,
        grant: Grant::Tools(&["Diff"]),
        description: "Two texts compared: the diff, cut at redline_max_diff_bytes, and what it says of them",
        example: "SELECT diff_texts('old', 'new').diff",
    };
}

const SIDES: [Field; 2] = [
    Field::new("text_a", Type::Varchar, "The first text"),
    Field::new("text_b", Type::Varchar, "The second text"),
];
const WITH: ([Field; 3], [Field; 5]) = diff_tool::overloads(SIDES);

impl ScalarFunction for DiffTexts {
    const NAME: &'static str = "diff_texts";
    const OVERLOADS: &'static [Overload] = &[&SIDES, &WITH.0, &WITH.1];
    const RETURNS: Type = RecordType::<DiffResult>::STRUCT;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = Differ;

    fn helper(differ: &Differ) -> Option<Differ> {
        Some(Differ::new(differ.execution.clone()))
    }

    fn budget(differ: &Differ) -> Option<&Arc<Budget>> {
        Some(&differ.execution.budget)
    }

    fn open(settings: Settings) -> Result<Differ> {
        Ok(Differ::new(ExecutionContext::open::<Self>(settings)?))
    }

    fn call(differ: &mut Differ, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        diff_tool::call(arguments, out, |shown| {
            differ.texts([0, 1].map(|index| arguments.text(index).unwrap_or_default()), shown)
        })
    }
}
