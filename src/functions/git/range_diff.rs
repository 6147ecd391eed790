//! `range_diff(old_range, new_range, repo)`: the commits of two versions of a series, paired.

use crate::functions::params::{Args, Name, Param, REPO, bounded, fields, number, required};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::Result;
use redline_query::range_diff::{self, RangeDiffQuery};
use redline_rows::Field;

const OLD_RANGE: Param<Name> = required("old_range", "The old commits, as a..b");
const NEW_RANGE: Param<Name> = required("new_range", "The new commits, as a..b");
const CREATION_FACTOR: Param<Percent> = number(
    "creation_factor",
    range_diff::CREATION_FACTOR,
    "Cost of a dropped or added commit in percent of its size; a higher one pairs more commits",
);

bounded! {
    /// A percentage, up to git's own limit for a cost.
    Percent: BigInt as i64, 0..=i64::from(u16::MAX), "Give 0 to 65535; git's default is 60";
}

/// The table function.
pub struct RangeDiff;

impl RepositoryTable for RangeDiff {
    const DECLARATION: Declaration = Declaration {
        name: "range_diff",
        family: Family::Git,
        grant: Grant::Tools(&["GitRangeDiff", "GitLog"]),
        description: "Compares two versions of a commit series, like git range-diff",
        example: "SELECT status, subject, patch FROM range_diff('HEAD~3..HEAD~1', 'HEAD~2..HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![OLD_RANGE, NEW_RANGE, REPO];
    const NAMED: &'static [Field] = fields![CREATION_FACTOR];
    type Query = RangeDiffQuery;

    fn query(args: Args<'_>) -> Result<RangeDiffQuery> {
        Ok(RangeDiffQuery {
            old: args.owned(OLD_RANGE)?,
            new: args.owned(NEW_RANGE)?,
            repo: args.owned(REPO)?,
            creation_factor: args.get(CREATION_FACTOR)?,
        })
    }
}
