//! `resolve_revision(rev, repo)`: the id of the object that a revision names.

use super::repository_scalar::RepositoryScalar;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{Declaration, Family, Grant};
use redline_base::error::Result;
use redline_git::{Repository, object_of};
use redline_rows::{Field, Out, Varchar, Written};

/// The scalar function.
pub struct ResolveRevision;

const REV: Param<Name> = required("rev", "A revision, as git rev-parse takes it");

impl RepositoryScalar for ResolveRevision {
    const DECLARATION: Declaration = Declaration {
        name: "resolve_revision",
        family: Family::Git,
        grant: Grant::Tools(&[
            "GitDiffSummary",
            "GitDiffFile",
            "GitDiff",
            "GitLog",
            "GitShow",
            "GitFile",
            "GitBlame",
        ]),
        description: "Returns the id of the object that a revision names, like git rev-parse",
        example: "SELECT resolve_revision('HEAD~2', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![REV, REPO];
    type Returns = Varchar;

    fn call(repository: &Repository, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        Ok(out.text(object_of(repository, args.get(REV)?)?.to_string()))
    }
}
