//! `ahead_behind(a, b, repo)`: how far two histories are apart.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::row_text;
use crate::functions::params::comparison;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::git::ahead_behind;

/// The scalar function.
pub struct AheadBehind;

impl Declared for AheadBehind {
    const DECLARATION: Declaration = Declaration {
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs", "GitLog"]),
        description: "How many commits only the first of two revisions has, and how many only the second",
        example: "SELECT ahead_behind('HEAD~1', 'HEAD', '.')",
    };
}

const A: Field = Field::new("a", Type::Varchar, "A revision that names a commit");
const B: Field = Field::new("b", Type::Varchar, "Another one");

impl ScalarFunction for AheadBehind {
    const NAME: &'static str = "ahead_behind";
    const OVERLOADS: &'static [Overload] = &[&[A, B, comparison::REPO]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("ahead", Type::BigInt, "Commits that only the first has"),
        Field::new("behind", Type::BigInt, "Commits that only the second has"),
    ]);
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
        let counts = execution.read(|| ahead_behind(&execution.repository(&repo)?, &a, &b))?;
        for (field, count) in out.fields_mut().iter_mut().zip([counts.0, counts.1]) {
            field.push_bigint(i64::try_from(count).ok());
        }
        Ok(())
    }
}
