//! `merge_bases(revs, repo [, octopus])`: all best common ancestors of several commits.

use super::merge_base::MergeBase;
use super::repository_scalar::RepositoryScalar;
use crate::ffi::Overload;
use crate::functions::params::{Args, Flag, Names, Param, REPO, fields, flag, required};
use crate::functions::surface::Declaration;
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_git::{Repository, merge_bases_of};
use redline_rows::{Field, Out, Varchars, Written};

/// The scalar function.
pub struct MergeBases;

const REVISIONS: Param<Names> = required("revs", "Revisions that name commits");
const OCTOPUS: Param<Flag> = flag(
    "octopus",
    false,
    "Find ancestors of all commits, as git's --octopus, not of the first and a merge of the others",
);

impl RepositoryScalar for MergeBases {
    const DECLARATION: Declaration = Declaration {
        name: "merge_bases",
        description: "Finds all best common ancestors of several commits, as git merge-base --all prints them",
        example: "SELECT merge_bases(['HEAD', 'HEAD~1', 'HEAD~2'], '.', true)",
        ..MergeBase::DECLARATION
    };
    const PARAMETERS: &'static [Field] = fields![REVISIONS, REPO];
    const OVERLOADS: &'static [Overload] = &[Self::PARAMETERS, fields![REVISIONS, REPO, OCTOPUS]];
    type Returns = Varchars;

    fn call(repository: &Repository, args: Args<'_>, out: Out<'_, Varchars>) -> Result<Written> {
        let names = args.get(REVISIONS)?;
        if names.is_empty() || names.len() > limits::PARENTS {
            return Err(Error::invalid_args(format!("revs has {} revisions", names.len()))
                .with_hint(format!("Give 1 to {}", limits::PARENTS)));
        }
        let bases = merge_bases_of(repository, &names, args.get(OCTOPUS)?)?;
        Ok(out.texts(bases.iter().map(|id| id.to_string().into_bytes())))
    }
}
