//! `reflog(ref, repo)`: the former values of a reference.

use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;

use redline_query::reflog::ReflogQuery;
use redline_rows::Field;

const REFERENCE: Param<Name> =
    required("ref", "A reference, such as HEAD or main; refs/stash for the list of stashes");

/// The table function.
pub struct ReflogTable;

impl RepositoryTable for ReflogTable {
    const DECLARATION: Declaration = Declaration {
        name: "reflog",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Lists the former values of a reference, the newest first, as git reflog does; the stashes for refs/stash",
        example: "SELECT position, new_oid, message FROM reflog('HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![REFERENCE, REPO];
    type Query = ReflogQuery;

    fn query(args: Args<'_>) -> Result<ReflogQuery> {
        Ok(ReflogQuery { reference: args.owned(REFERENCE)?, repo: args.owned(REPO)? })
    }
}
