//! `approval_chunk(payload_or_ref, chunk [, key])`: chunk N, from 1, of a payload too large to send
//! whole.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, BigInt, Bytes, Maybe, Param, Text, fields, optional, required,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_edit::payload::Received;
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct ApprovalChunk;

const PAYLOAD: Param<Maybe<Text>> = required("payload_or_ref", "A payload, or its approval id");
const CHUNK: Param<Maybe<BigInt>> = required("chunk", "The number of the chunk, from 1");
const CHUNK_KEY: Param<Maybe<Bytes>> =
    optional("key", "The host's key, for a payload that shows what must not be read unseen");

impl Scalar for ApprovalChunk {
    const DECLARATION: Declaration = Declaration {
        name: "approval_chunk",
        family: Family::Approvals,
        grant: Grant::Tools(&["write_file", "edit_file"]),
        description: "Returns one chunk of a payload that is too large to send whole",
        example: "SELECT approval_chunk(approval_id, 1) FROM pending_approvals(getvariable('key')) WHERE payload LIKE '%fetch_url%'",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![PAYLOAD, CHUNK], fields![PAYLOAD, CHUNK, CHUNK_KEY]];
    type Returns = Varchar;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let (Some(given), Some(number)) = (args.get(PAYLOAD)?, args.get(CHUNK)?) else {
            return Ok(out.null());
        };
        let key = args.get(CHUNK_KEY)?;
        let approver =
            key.map(|key| opened.execution.approver(key, args.function())).transpose()?;
        let is_payload = given.trim_start().starts_with('{');
        let reference = match is_payload.then(|| Received::parse(given)).transpose()? {
            Some(Received::Known(payload)) => payload.approval_id().to_owned(),
            Some(Received::Other { .. }) | None => given.to_owned(),
        };
        let number = u64::try_from(number).map_err(|_| {
            Error::invalid_args(format!("there is no chunk {number}"))
                .with_hint("Chunks are numbered from 1")
        })?;
        let approvals = &opened.execution.caller.state.approvals;
        Ok(out.text(approvals.chunk(
            &reference,
            number,
            approver.is_some(),
            opened.execution.caller.rules(),
        )?))
    }
}
