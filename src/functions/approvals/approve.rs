//! `approve(payload, scope, key [, proof])`: the yes of a person.
//!
//! What gives a right, or shows what must not be read unseen, wants the host's key: SQL runs with the rights of
//! whoever runs it, and a macro of an agent may run in the host's own statements, but it does not know the key.

use super::shown::{KEY, PAYLOAD, known, shown_pages, too_large_to_read};
use crate::edit::payload::Payload;
use crate::edit::{Proof, Scope};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::params::arguments::change_text;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct Approve;

impl Declared for Approve {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Records a yes to what a payload shows, with the host's key, and returns its approval id",
        example: "SELECT approve(payload, 'once', getvariable('key'), getvariable('seen')) FROM pending_approvals(getvariable('key'))",
    };
}

const SCOPE: Field = Field::new("scope", Type::Varchar, "once, path, sandbox, session or unread");
const PROOF: Field =
    Field::optional("proof", Type::Varchar, "NULL", "The proof of the last page of approval_pages");

impl ScalarFunction for Approve {
    const NAME: &'static str = "approve";
    const OVERLOADS: &'static [Overload] = &[&[PAYLOAD, SCOPE, KEY], &[PAYLOAD, SCOPE, KEY, PROOF]];
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
        let by = execution.approver(arguments.text(2), Self::NAME)?;
        // What needs no approval has no payload, and nothing is approved.
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let scope = Scope::parse(&change_text(arguments, 1, Self::NAME, "scope")?)?;
        let payload = known(arguments, Self::NAME)?;
        check_shown(execution, &payload, scope, arguments.text(3))?;
        let id = execution.database.approvals.approve(
            &payload,
            scope,
            &by,
            settings::rules(&execution.settings),
        )?;
        out.push_text(Some(&id));
        Ok(())
    }
}

/// Refuses a yes to what was not shown as a whole.
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
    let shown = shown_pages(execution, payload, proof.width, proof.height)?;
    if shown.last().is_some_and(|last| last.proof.is_same(&proof)) {
        return Ok(());
    }
    Err(Error::invalid_args("the proof is not from the last page of this payload").with_hint(hint))
}
