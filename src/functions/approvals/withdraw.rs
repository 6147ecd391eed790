//! `withdraw(id, key)`: withdraws the approval under an id, and forgets an operation that waits
//! under it.

use super::shown::{KEY, approver_of};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, Param, Text, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct Withdraw;

const ID: Param<Text> = required("id", "The approval id");

impl Scalar for Withdraw {
    const DECLARATION: Declaration = Declaration {
        name: "withdraw",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Withdraws the approval or decline under an id, and forgets an operation that waits under it",
        example: "SELECT withdraw(approval_id, getvariable('key')) FROM approvals_given(key := getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![ID, KEY]];
    type Returns = Varchar;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        approver_of(opened, args)?;
        let id = args.get(ID)?;
        opened.execution.caller.state.approvals.withdraw(id, opened.execution.caller.rules())?;
        Ok(out.text(id))
    }
}
