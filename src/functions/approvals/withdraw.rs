//! `withdraw(id, key)`: takes back what was approved under an id, and forgets what waits under it.

use super::shown::KEY;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::params::arguments::change_text;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct Withdraw;

impl Declared for Withdraw {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Takes back what was approved or declined under an id, and forgets what waits under it",
        example: "SELECT withdraw(approval_id, getvariable('key')) FROM approvals_given(key := getvariable('key'))",
    };
}

const ID: Field = Field::new("id", Type::Varchar, "The approval id");

impl ScalarFunction for Withdraw {
    const NAME: &'static str = "withdraw";
    const OVERLOADS: &'static [Overload] = &[&[ID, KEY]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = ExecutionContext;

    fn open(settings: Settings) -> Result<ExecutionContext> {
        ExecutionContext::new(settings)
    }

    fn call(
        execution: &mut ExecutionContext,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        execution.approver(arguments.text(1), Self::NAME)?;
        let id = change_text(arguments, 0, Self::NAME, "id")?;
        execution.database.approvals.withdraw(&id, settings::rules(&execution.settings))?;
        out.push_text(Some(&id));
        Ok(())
    }
}
