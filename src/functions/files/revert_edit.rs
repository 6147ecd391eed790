//! `revert_edit(id [, options])` and `revert_edits(sandbox [, options])`: undoes recorded
//! operations on files.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{
    Args, Flag, Maybe, Moment, Name, Param, Text, fields, flag, optional, options, required,
    row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_query::files::Chosen;
use redline_rows::{Field, Out, StructOf, Written};
use redline_tools::{ChangedFiles, UndoneFile};

/// `revert_edit`
pub struct RevertEdit;

/// `revert_edits`
pub struct RevertEdits;

const ID: Param<Name> = required("id", "The operation, as redline_log() has it");
const SANDBOX: Param<Name> = required("sandbox", "The sandbox");
const DRY_RUN: Param<Flag> = flag("dry_run", false, "Whether nothing is written");
const PATH: Param<Maybe<Text>> = optional("path", "The only file, as sandbox/relative/path");
const SESSION: Param<Maybe<Text>> =
    optional("session", "The client in redline_log() whose operations are undone; NULL: one's own");
const SINCE: Param<Maybe<Moment>> = optional("since", "The moment from which on; NULL for all");

/// The options of both.
const FIELDS: &[Field] = fields![DRY_RUN, PATH, SESSION, SINCE];
const OPTIONS: Field =
    options(FIELDS, "A STRUCT of dry_run, path, session and since; NULL for none");
const OF_ONE: [Field; 2] = [ID.field, OPTIONS];
const OF_SANDBOX: [Field; 2] = [SANDBOX.field, OPTIONS];

impl Scalar for RevertEdit {
    const DECLARATION: Declaration = Declaration {
        name: "revert_edit",
        family: Family::Files,
        grant: Grant::Tools(&["undo"]),
        description: "Reverts a recorded operation on files, keeping later changes by others",
        example: "SELECT revert_edit(id).message FROM redline_log() WHERE path = 'workspace/notes.txt'",
    };
    const OVERLOADS: &'static [Overload] = &[OF_ONE.split_at(1).0, &OF_ONE];
    type Returns = StructOf<ChangedFiles<UndoneFile>>;
    type State = Opened;
    // A NULL must not silently skip a change.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let values = row_options(args.options(), FIELDS, args.function())?;
        let given = args.with((FIELDS, &values), (&[], &[]));
        let chosen = Chosen::Operation(args.get(ID)?.to_owned());
        for name in [SESSION.field.name, SINCE.field.name] {
            if !given.is_null(name) {
                return Err(Error::invalid_args(format!("revert_edit was given {name}"))
                    .with_hint(
                        "It reverts one operation; revert_edits reverts those of a session",
                    ));
            }
        }
        let done = opened.tools.undo(&chosen, given.get(PATH)?, given.get(DRY_RUN)?)?;
        Ok(out.row(&done))
    }
}

impl Scalar for RevertEdits {
    const DECLARATION: Declaration = Declaration {
        name: "revert_edits",
        description: "Reverts all operations of a session on the files of a sandbox, keeping later changes by others",
        example: "SELECT revert_edits('workspace', {'dry_run': true}).files",
        ..RevertEdit::DECLARATION
    };
    const OVERLOADS: &'static [Overload] = &[OF_SANDBOX.split_at(1).0, &OF_SANDBOX];
    type Returns = StructOf<ChangedFiles<UndoneFile>>;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let values = row_options(args.options(), FIELDS, args.function())?;
        let given = args.with((FIELDS, &values), (&[], &[]));
        let name = args.get(SANDBOX)?.trim_end_matches('/').to_owned();
        let client = given.get(SESSION)?.map(str::to_owned);
        let chosen = Chosen::Sandbox { name, client, since: given.get(SINCE)? };
        let done = opened.tools.undo(&chosen, given.get(PATH)?, given.get(DRY_RUN)?)?;
        Ok(out.row(&done))
    }
}
