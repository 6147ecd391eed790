//! `decline(payload, key)`: declines the operation of a payload.

use super::shown::{KEY, PAYLOAD, approver_of, known};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct Decline;

impl Scalar for Decline {
    const DECLARATION: Declaration = Declaration {
        name: "decline",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Declines the operation of a payload, with the host's key, and returns its approval id",
        example: "SELECT decline(payload, getvariable('key')) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PAYLOAD, KEY]];
    type Returns = Varchar;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        approver_of(opened, args)?;
        // A call that needs no approval has no payload, and nothing is declined.
        let Some(payload) = args.get(PAYLOAD)? else { return Ok(out.null()) };
        Ok(out.text(
            opened
                .execution
                .caller
                .state
                .approvals
                .decline(&known(payload)?, opened.execution.caller.rules())?,
        ))
    }
}
