//! `approval_file(payload, key)`: the file of a payload as it was when the operation was proposed,
//! for approvers.

use super::shown::{KEY, PAYLOAD, approver_of, known};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, Param, Text, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_git::blob_id;
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct ApprovalFile;

/// As in other functions; a NULL names no file.
const FILE_PAYLOAD: Param<Text> = required(PAYLOAD.field.name, PAYLOAD.field.doc);

impl Scalar for ApprovalFile {
    const DECLARATION: Declaration = Declaration {
        name: "approval_file",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Returns the file that a payload is about, as it was when proposed",
        example: "SELECT approval_file(payload, getvariable('key')) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![FILE_PAYLOAD, KEY]];
    type Returns = Varchar;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        approver_of(opened, args)?;
        let payload = known(args.get(FILE_PAYLOAD)?)?;
        let Some(expected) = payload.base_oid() else { return Ok(out.null()) };
        let sandboxes = opened
            .execution
            .caller
            .context
            .access
            .sandboxes()
            .ok_or_else(|| Error::fs_denied("no sandbox is configured"))?;
        let bytes = sandboxes.resolve(payload.path())?.read()?;
        if blob_id(&bytes)? != expected {
            return Err(Error::stale("the file has changed since the payload was made")
                .with_hint("Show the payload that waits now: pending_approvals lists it"));
        }
        Ok(out.text(&bytes))
    }
}
