//! `end_work(connection, key)`: ends what redline does for a connection. DuckDB does not tell a
//! function that its query was interrupted.

use super::shown::{KEY, approver_of};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, BigInt, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Boolean, Out, Written};

/// The scalar function.
pub struct EndWork;

const CONNECTION: Param<BigInt> =
    required("connection", "The number that current_connection_id() returns there");

impl Scalar for EndWork {
    const DECLARATION: Declaration = Declaration {
        name: "end_work",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Ends what redline does for another connection, which DuckDB's interrupt does not reach; tells whether there was anything",
        example: "SELECT end_work(current_connection_id()::BIGINT + 1000000, getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![CONNECTION, KEY]];
    type Returns = Boolean;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Boolean>) -> Result<Written> {
        approver_of(opened, args)?;
        let connection = u64::try_from(args.get(CONNECTION)?).ok();
        Ok(out.truth(
            connection
                .is_some_and(|connection| opened.execution.caller.state.calls.end(connection)),
        ))
    }
}
