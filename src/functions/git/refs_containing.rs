//! `refs_containing(rev, repo)`: the references whose history holds a commit.

use super::refs::RefsTable;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, RepositoryTable};
use redline_base::error::Result;
use redline_query::refs::RefsQuery;
use redline_rows::Field;

const REVISION: Param<Name> = required("rev", "A revision that names a commit");

/// The table function.
pub struct RefsContaining;

impl RepositoryTable for RefsContaining {
    const DECLARATION: Declaration = Declaration {
        name: "refs_containing",
        description: "Lists the references whose history holds a commit, as git for-each-ref --contains",
        example: "SELECT short_name, kind FROM refs_containing('HEAD~1', '.')",
        ..RefsTable::DECLARATION
    };
    const PARAMETERS: &'static [Field] = fields![REVISION, REPO];
    const IS_EAGER: bool = true;
    type Query = RefsQuery;

    fn query(args: Args<'_>) -> Result<RefsQuery> {
        Ok(RefsQuery { repo: args.owned(REPO)?, contains: Some(args.owned(REVISION)?) })
    }
}
