//! `resolve_revision(rev, repo)`: the id of the object that a revision names.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::row_text;
use crate::functions::params::comparison;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::git::object_of;

/// The scalar function.
pub struct ResolveRevision;

impl Declared for ResolveRevision {
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
        description: "The id of the object that a revision names, as git rev-parse has it",
        example: "SELECT resolve_revision('HEAD~2', '.')",
    };
}

impl ScalarFunction for ResolveRevision {
    const NAME: &'static str = "resolve_revision";
    const OVERLOADS: &'static [Overload] = &[&[
        Field::new("rev", Type::Varchar, "A revision, as git rev-parse takes it"),
        comparison::REPO,
    ]];
    const RETURNS: Type = Type::Varchar;
    // What a name means changes with the repository, and with the time of day.
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
        let (revision, repo) = (row_text(arguments, 0, "rev")?, row_text(arguments, 1, "repo")?);
        let id = execution.read(|| object_of(&execution.repository(&repo)?, &revision))?;
        out.push_text(Some(&id.to_string()));
        Ok(())
    }
}
