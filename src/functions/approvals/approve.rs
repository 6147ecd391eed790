//! `approve(payload, scope, key [, proof])`: approves an operation.
//!
//! Functions that give a right, or show a file that must not be read unseen, need the host's key.
//! SQL runs with the rights of its user, and a macro of an agent may run in the host's own
//! statements, but it does not know the key.

use super::shown::{KEY, PAYLOAD, approver_of, known, shown_pages, too_large_to_read};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, Bytes, Maybe, Param, Text, fields, optional, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_edit::payload::Payload;
use redline_edit::{Proof, Scope};
use redline_rows::{Out, Varchar, Written};

/// The scalar function.
pub struct Approve;

const SCOPE: Param<Text> = required("scope", "once, path, sandbox, session or unread");
const PROOF: Param<Maybe<Bytes>> =
    optional("proof", "The proof of the last page of approval_pages");

impl Scalar for Approve {
    const DECLARATION: Declaration = Declaration {
        name: "approve",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Approves the operation of a payload, with the host's key, and returns its approval id",
        example: "SELECT approve(payload, 'once', getvariable('key'), getvariable('seen')) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![PAYLOAD, SCOPE, KEY], fields![PAYLOAD, SCOPE, KEY, PROOF]];
    type Returns = Varchar;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let by = approver_of(opened, args)?;
        // A call that needs no approval has no payload, and nothing is approved.
        let Some(payload) = args.get(PAYLOAD)? else { return Ok(out.null()) };
        let scope = Scope::parse(args.get(SCOPE)?)?;
        let payload = known(payload)?;
        check_shown(&opened.execution, &payload, scope, args.get(PROOF)?)?;
        Ok(out.text(opened.execution.caller.state.approvals.approve(
            &payload,
            scope,
            &by,
            opened.execution.caller.rules(),
        )?))
    }
}

/// Refuses to approve a payload that was not shown completely.
fn check_shown(
    execution: &ExecutionContext,
    payload: &Payload,
    scope: Scope,
    proof: Option<&[u8]>,
) -> Result<()> {
    if payload.is_large() {
        if scope == Scope::Unread {
            return Ok(());
        }
        return Err(too_large_to_read());
    }
    if scope == Scope::Unread {
        return Err(Error::invalid_args(
            "the scope unread is for payloads that are too large to be shown, and this one is not",
        )
        .with_hint("Show every page of approval_pages, and give the proof of the last one with the scope once"));
    }
    let hint = "Show every page of approval_pages, and give the proof of the last one";
    let Some(proof) = proof else {
        return Err(Error::invalid_args("approve needs a proof that the whole payload was shown")
            .with_hint(hint));
    };
    let proof = Proof::parse(&String::from_utf8_lossy(proof))?;
    let shown = shown_pages(execution, payload, [proof.width, proof.height], proof.is_framed)?;
    if shown.last().is_some_and(|last| last.proof.is_same(&proof)) {
        return Ok(());
    }
    Err(Error::invalid_args("the proof is not from the last page of this payload").with_hint(hint))
}
