//! `approval_chunk(payload_or_ref, chunk [, key])`: chunk N, from 1, of a payload too large to send whole.

use crate::edit::payload::Received;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::params::arguments::change_text;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// The scalar function.
pub struct ApprovalChunk;

impl Declared for ApprovalChunk {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Tools(&["write_file", "edit_file"]),
        description: "One chunk of a payload that is too large to send whole",
        example: "SELECT approval_chunk(approval_id, 1) FROM pending_approvals(getvariable('key')) WHERE payload LIKE '%fetch_url%'",
    };
}

const PAYLOAD: Field = Field::new("payload_or_ref", Type::Varchar, "A payload, or its approval id");
const CHUNK: Field = Field::new("chunk", Type::BigInt, "The number of the chunk, from 1");

const CHUNK_KEY: Field = Field::optional(
    "key",
    Type::Varchar,
    "NULL",
    "The host's key, for a payload that shows what must not be read unseen",
);

impl ScalarFunction for ApprovalChunk {
    const NAME: &'static str = "approval_chunk";
    const OVERLOADS: &'static [Overload] = &[&[PAYLOAD, CHUNK], &[PAYLOAD, CHUNK, CHUNK_KEY]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = ExecutionContext;

    fn open(settings: Settings) -> Result<ExecutionContext> {
        ExecutionContext::open::<Self>(settings)
    }

    fn call(
        execution: &mut ExecutionContext,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        let (Some(_), Some(number)) = (arguments.text(0), arguments.bigint(1)) else {
            out.push_null();
            return Ok(());
        };
        let holds_key = match arguments.text(2) {
            None => false,
            key => execution.approver(key, Self::NAME).map(|_| true)?,
        };
        let given = change_text(arguments, 0, Self::NAME, "payload_or_ref")?;
        let reference = match given
            .trim_start()
            .starts_with('{')
            .then(|| Received::parse(&given))
            .transpose()?
        {
            Some(Received::Known(payload)) => payload.approval_id().to_owned(),
            Some(Received::Other { .. }) | None => given,
        };
        let number = u64::try_from(number).map_err(|_| {
            Error::invalid_args(format!("there is no chunk {number}"))
                .with_hint("Chunks are numbered from 1")
        })?;
        let chunk = execution.database.approvals.chunk(
            &reference,
            number,
            holds_key,
            settings::rules(&execution.settings),
        )?;
        out.push_text(Some(&chunk));
        Ok(())
    }
}
