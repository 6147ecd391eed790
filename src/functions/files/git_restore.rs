//! `git_restore(repo, what, rev [, options])`: files of the work tree as they are at a revision.

use super::git_commit::REPO;
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Flag, Name, Names, Param, Text, fields, flag, options, required, row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_query::files::RestoreArguments;
use redline_rows::{Field, Out, StructOf, Written};
use redline_tools::{ChangedFiles, UndoneFile};

/// The scalar function.
pub struct GitRestore;

const WHAT: Param<Text> = required("what", "A path as git's pathspecs, or the id of a hunk");
const PARTS: Param<Names> = required("parts", "Paths and ids of hunks");
const REV: Param<Name> = required("rev", "The revision, or INDEX");
const DRY_RUN: Param<Flag> = flag("dry_run", false, "Write nothing");

const FIELDS: &[Field] = fields![DRY_RUN];
const OPTIONS: Field = options(FIELDS, "A STRUCT of dry_run; NULL for none");
const OF_TEXT: [Field; 4] = [REPO.field, WHAT.field, REV.field, OPTIONS];
const OF_PARTS: [Field; 4] = [REPO.field, PARTS.field, REV.field, OPTIONS];

impl Scalar for GitRestore {
    const DECLARATION: Declaration = Declaration {
        name: "git_restore",
        family: Family::Files,
        grant: Grant::Tools(&["apply_patch"]),
        description: "Restores files or hunks of a work tree as they are at a revision",
        example: "SELECT git_restore('workspace', 'app.py', 'HEAD', {'dry_run': true}).message",
    };
    const OVERLOADS: &'static [Overload] =
        &[OF_TEXT.split_at(3).0, &OF_TEXT, OF_PARTS.split_at(3).0, &OF_PARTS];
    type Returns = StructOf<ChangedFiles<UndoneFile>>;
    type State = Opened;
    // A NULL must not silently skip a file.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let values = row_options(args.options(), FIELDS, args.function())?;
        let given = args.with((FIELDS, &values), (&[], &[]));
        let parts = match args.has(PARTS) {
            true => args.get(PARTS)?.into_iter().map(str::to_owned).collect(),
            false => vec![args.owned(WHAT)?],
        };
        let (repo, rev) = (args.owned(REPO)?, args.owned(REV)?);
        let arguments = RestoreArguments { repo, parts, rev, dry_run: given.get(DRY_RUN)? };
        Ok(out.row(&opened.tools.restore(&arguments)?))
    }
}
