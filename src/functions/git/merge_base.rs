//! `merge_base(a, b, repo)`: the id of the commit from which two histories parted.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::row_text;
use crate::functions::params::comparison;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::git::merge_bases;

/// The scalar function.
pub struct MergeBase;

impl Declared for MergeBase {
    const DECLARATION: Declaration = Declaration {
        family: Family::Git,
        grant: Grant::Tools(&[
            "GitDiffSummary",
            "GitDiffFile",
            "GitDiff",
            "GitLog",
            "GitShow",
            "GitFile",
            "GitBlame",
        ]),
        description: "The best common ancestor of two commits, as git merge-base prints it; NULL when there is none",
        example: "SELECT merge_base('HEAD~1', 'HEAD', '.')",
    };
}

const A: Field = Field::new("a", Type::Varchar, "A revision that names a commit");
const B: Field = Field::new("b", Type::Varchar, "Another one");

impl ScalarFunction for MergeBase {
    const NAME: &'static str = "merge_base";
    const OVERLOADS: &'static [Overload] = &[&[A, B, comparison::REPO]];
    const RETURNS: Type = Type::Varchar;
    // What the revisions mean changes with the repository.
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = ExecutionContext;

    fn open(settings: Settings) -> Result<ExecutionContext> {
        ExecutionContext::open::<Self>(settings)
    }

    fn helper(execution: &ExecutionContext) -> Option<ExecutionContext> {
        Some(execution.clone())
    }

    fn budget(execution: &ExecutionContext) -> Option<&Arc<Budget>> {
        Some(&execution.budget)
    }

    fn call(
        execution: &mut ExecutionContext,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        let (a, b) = (row_text(arguments, 0, "a")?, row_text(arguments, 1, "b")?);
        let repo = row_text(arguments, 2, "repo")?;
        let bases = execution.read(|| merge_bases(&execution.repository(&repo)?, &a, &b))?;
        out.push_text(bases.first().map(ToString::to_string).as_deref());
        Ok(())
    }
}
