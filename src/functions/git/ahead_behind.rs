//! `ahead_behind(a, b, repo)`: the numbers of commits that only one of two histories has.

use super::repository_scalar::RepositoryScalar;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, Family, Grant};
use redline_base::error::Result;
use redline_git::{Repository, ahead_behind};
use redline_rows::{Col, Field, Out, Row, StructOf, Written, bigint};

/// The scalar function.
pub struct AheadBehind;

const A: Param<Name> = required("a", "A revision that names a commit");
const B: Param<Name> = required("b", "Another one");

/// The number of commits that only each side has.
pub struct Distance;

impl Row for Distance {
    type Of<'a> = (u64, u64);

    const OWN: &'static [Col<Self>] = &[
        bigint("ahead", "Commits that only the first has", |(ahead, _)| ahead.into()),
        bigint("behind", "Commits that only the second has", |(_, behind)| behind.into()),
    ];
}

impl RepositoryScalar for AheadBehind {
    const DECLARATION: Declaration = Declaration {
        name: "ahead_behind",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Counts the commits that only the first of two revisions has, and those that only the second has",
        example: "SELECT ahead_behind('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![A, B, REPO];
    type Returns = StructOf<Distance>;

    fn call(
        repository: &Repository,
        args: Args<'_>,
        out: Out<'_, Self::Returns>,
    ) -> Result<Written> {
        Ok(out.row(ahead_behind(repository, args.get(A)?, args.get(B)?)?))
    }
}
