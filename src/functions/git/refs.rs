//! `refs(repo)` and `refs_list(repo)`: the references of a repository.

use crate::functions::params::{Args, REPO, fields};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;

use redline_query::refs::RefsQuery;
use redline_rows::Field;

/// The table function.
pub struct RefsTable;

impl RepositoryTable for RefsTable {
    const DECLARATION: Declaration = Declaration {
        name: "refs",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Lists HEAD and the references of a repository, ordered by name",
        example: "SELECT short_name, kind, commit_id, subject FROM refs('.')",
    };
    const PARAMETERS: &'static [Field] = fields![REPO];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str = "SELECT len(refs_list('.'))";
    type Query = RefsQuery;

    fn query(args: Args<'_>) -> Result<RefsQuery> {
        Ok(RefsQuery { repo: args.owned(REPO)?, contains: None })
    }
}
