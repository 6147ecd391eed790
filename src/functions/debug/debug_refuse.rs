//! A function that makes the system refuse memory, in debug builds only: tests use it to show that
//! what is refused is an error, and never the end of the process.

use crate::ffi::{Overload, refuse};
use crate::functions::params::{Args, BigInt, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, Varchar, Written};

/// `redline_debug_refuse(first, count)`: refuses large allocations, and returns how many were
/// refused since the last call.
pub struct Refuse;

const FIRST: Param<BigInt> = required("first", "The first that is refused, from 1; 0: none");
const COUNT: Param<BigInt> = required("count", "How many are refused");

impl Scalar for Refuse {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_refuse",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Refuses memory",
        example: "SELECT redline_debug_refuse(0, 0)",
    };
    const OVERLOADS: &'static [Overload] = &[fields![FIRST, COUNT]];
    type Returns = Varchar;
    type State = ();

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let number = |number: i64| usize::try_from(number).unwrap_or_default();
        let refused = refuse(number(args.get(FIRST)?), number(args.get(COUNT)?));
        Ok(out.text(refused.to_string()))
    }
}
