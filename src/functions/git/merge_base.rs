//! `merge_base(a, b, repo)`: the id of the best common ancestor of two commits.

use super::repository_scalar::RepositoryScalar;
use super::resolve_revision::ResolveRevision;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::Declaration;
use redline_base::error::Result;
use redline_git::{Repository, merge_bases};
use redline_rows::{Field, Out, Varchar, Written};

/// The scalar function.
pub struct MergeBase;

const A: Param<Name> = required("a", "A revision that names a commit");
const B: Param<Name> = required("b", "Another one");

impl RepositoryScalar for MergeBase {
    const DECLARATION: Declaration = Declaration {
        name: "merge_base",
        description: "Returns the best common ancestor of two commits, like git merge-base; NULL if there is none",
        example: "SELECT merge_base('HEAD~1', 'HEAD', '.')",
        ..ResolveRevision::DECLARATION
    };
    const PARAMETERS: &'static [Field] = fields![A, B, REPO];
    type Returns = Varchar;

    fn call(repository: &Repository, args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let bases = merge_bases(repository, args.get(A)?, args.get(B)?)?;
        Ok(out.text(bases.first().map(ToString::to_string)))
    }
}
