//! `decline(payload, key)`: the no of a person to what a payload shows.

use super::shown::{KEY, PAYLOAD, known};
use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct Decline;

impl Declared for Decline {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Records a no to what a payload shows, with the host's key, and returns its approval id",
        example: "SELECT decline(payload, getvariable('key')) FROM pending_approvals(getvariable('key'))",
    };
}

impl ScalarFunction for Decline {
    const NAME: &'static str = "decline";
    const OVERLOADS: &'static [Overload] = &[&[PAYLOAD, KEY]];
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
        // What needs no approval has no payload, and nothing is declined.
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let payload = known(arguments, Self::NAME)?;
        let rules = settings::rules(&execution.settings);
        out.push_text(Some(&execution.database.approvals.decline(&payload, rules)?));
        Ok(())
    }
}
