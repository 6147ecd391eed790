//! `withdraw(id, key)`: withdraws the approval under an id, and forgets an operation that waits
//! under it; or ends what runs for a connection.

use super::shown::{Approving, KEY};
use crate::ffi::{Nulls, Overload};
use crate::functions::params::{Args, Param, Text, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Out, Scalar, Varchar, Written};
use redline_base::error::{Error, Result, quoted};

/// The scalar function.
pub struct Withdraw;

const ID: Param<Text> = required("id", "The approval id, or `connection <number>`");

/// What the id of a connection begins with, before its number.
const CONNECTION: &str = "connection ";

impl Scalar for Withdraw {
    const DECLARATION: Declaration = Declaration {
        name: "withdraw",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Withdraws the approval or decline under an id, and forgets an operation that waits under it; with `connection <number>`, ends what redline does for that connection",
        example: "SELECT withdraw(approval_id, getvariable('key')) FROM approvals_given(key := getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![ID, KEY]];
    type Returns = Varchar;
    type State = Approving;
    const NULLS: Nulls = Nulls::Handle;

    fn call(state: &mut Approving, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        state.approver_of(args)?;
        let id = args.get(ID)?;
        match id.strip_prefix(CONNECTION) {
            Some(number) => end(state, id, number)?,
            None => state.state.approvals.withdraw(id, state.rules())?,
        }
        Ok(out.text(id))
    }
}

/// Ends what redline does for the connection with this number. DuckDB does not tell a function
/// that its query was interrupted.
fn end(state: &Approving, id: &str, number: &str) -> Result<()> {
    let has_ended = number.parse().is_ok_and(|number| state.state.calls.end(number));
    if has_ended {
        return Ok(());
    }
    Err(Error::not_found(format!("nothing of redline runs for {}", quoted(id)))
        .with_hint("Give 'connection ' and the number that current_connection_id() returns there"))
}
