//! `approval_file(payload, key)`: the file that a payload is about as it was when it was proposed, for who may approve.

use super::shown::{KEY, PAYLOAD, known};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::git::blob_id;

/// The scalar function.
pub struct ApprovalFile;

impl Declared for ApprovalFile {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "The file that a payload is about, as it was when it was proposed",
        example: "SELECT approval_file(payload, getvariable('key')) FROM pending_approvals(getvariable('key'))",
    };
}

impl ScalarFunction for ApprovalFile {
    const NAME: &'static str = "approval_file";
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
        let payload = known(arguments, Self::NAME)?;
        let Some(expected) = payload.base_oid() else {
            out.push_null();
            return Ok(());
        };
        let sandboxes = execution
            .access
            .sandboxes()
            .ok_or_else(|| Error::fs_denied("no sandbox is configured"))?;
        let bytes = sandboxes.resolve(payload.path())?.read()?;
        if blob_id(&bytes)? != expected {
            return Err(Error::stale("the file has changed since the payload was made")
                .with_hint("Show the payload that waits now: pending_approvals lists it"));
        }
        out.push_bytes(Some(&bytes));
        Ok(())
    }
}
