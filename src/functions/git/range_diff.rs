//! `range_diff(old_range, new_range, repo)`: the commits of two versions of a series, paired.

use crate::ffi::Field;
use crate::functions::params::{Args, Name, Param, REPO, bounded, fields, number, required};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, bigint, varchar,
};
use redline_base::error::Result;
use redline_query::Need;
use redline_query::range_diff::{self, CommitPair, Numbered, RangeDiffQuery};

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

impl Row for CommitPair {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        bigint("old_number", "The commit's number in the old range, from 1", |pair| {
            pair.old.as_ref().map(|side| side.number).into()
        }),
        varchar("old_commit_id", "The id of the old commit; NULL for one added", |pair, out| {
            out.text(id_of(pair.old.as_ref()))
        }),
        bigint("new_number", "The commit's number in the new range, from 1", |pair| {
            pair.new.as_ref().map(|side| side.number).into()
        }),
        varchar("new_commit_id", "The id of the new commit; NULL for one dropped", |pair, out| {
            out.text(id_of(pair.new.as_ref()))
        }),
        varchar("status", "equal, changed, dropped or added", |pair, out| out.text(pair.status())),
        varchar("subject", "The subject of the old commit, else of the new one", |pair, out| {
            out.text(pair.subject())
        }),
        varchar::<Self>(
            "patch",
            "What changed in the message and in the patch, as git prints it; NULL unless changed",
            |pair, out| out.text(pair.changes.as_deref()),
        )
        .needing(&[Need::Patch]),
    ];
}

fn id_of(side: Option<&Numbered>) -> Option<String> {
    side.map(|side| side.commit.id.to_string())
}

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
