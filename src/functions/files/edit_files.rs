//! `edit_files(sandbox, patch [, options])`: applies a patch to several files, all or none.

use std::collections::BTreeMap;

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{EDITS_OF, PAIRS_OF};
use crate::functions::params::{
    Args, Asked, Flag, Given, Kind, Maybe, Name, Param, Text, fields, flag, optional, options,
    required, row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_rows::{Field, Out, StructOf, Type, Written};

use redline_tools::{PatchArguments, PatchResult};

/// The scalar function.
pub struct EditFiles;

const SANDBOX: Param<Name> = required("sandbox", "The name of the sandbox; paths are below it");
const PATCH: Param<Text> = required(
    "patch",
    "A unified or git diff, `*** Begin Patch`, SEARCH/REPLACE blocks, or a JSON list of edits with their paths",
);
const FUZZ: Param<Flag> = flag("fuzz", false, "Ignore whitespace if there is no exact match");
const UNIDIFF_ZERO: Param<Flag> = flag(
    "unidiff_zero",
    false,
    "Add lines without context where the number of their hunk says, as git apply --unidiff-zero",
);
const DRY_RUN: Param<Flag> = flag("dry_run", false, "Write nothing");
const BASE_OIDS: Param<Maybe<Text>> = optional("base_oids", "A JSON object: blob ids by path");
const REASON: Param<Maybe<Reason>> = optional("reason", "Why, for the record; 1024 bytes at most");

const FIELDS: &[Field] = fields![FUZZ, UNIDIFF_ZERO, DRY_RUN, BASE_OIDS, REASON];
const OPTIONS: Field =
    options(FIELDS, "A STRUCT of fuzz, unidiff_zero, dry_run, base_oids and reason; NULL for none");
const OF_PATCH: [Field; 3] = [SANDBOX.field, PATCH.field, OPTIONS];
const OF_PAIRS: [Field; 3] = [SANDBOX.field, PAIRS_OF.field, OPTIONS];
const OF_EDITS: [Field; 3] = [SANDBOX.field, EDITS_OF.field, OPTIONS];

/// The reason of a change.
struct Reason;

impl Kind for Reason {
    const TYPE: Type = Type::Varchar;
    const WANTED: &'static str = Text::WANTED;
    type Of<'a> = &'a str;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<&'a str> {
        let reason = Text::read(given, asked)?;
        if reason.len() > limits::REASON_BYTES {
            return Err(Error::invalid_args(format!(
                "the argument '{}' has {} bytes",
                asked.name,
                reason.len()
            ))
            .with_hint(format!("Give {} bytes at most", limits::REASON_BYTES)));
        }
        Ok(reason)
    }
}

impl Scalar for EditFiles {
    const DECLARATION: Declaration = Declaration {
        name: "edit_files",
        family: Family::Files,
        grant: Grant::Tools(&["apply_patch"]),
        description: "Applies a patch to several files, all or none",
        example: "SELECT edit_files('workspace', '[{\"path\": \"app.py\", \"old_string\": \"x = 1\", \"new_string\": \"x = 2\"}]').outcome",
    };
    const OVERLOADS: &'static [Overload] = &[
        OF_PATCH.split_at(2).0,
        &OF_PATCH,
        OF_PAIRS.split_at(2).0,
        &OF_PAIRS,
        OF_EDITS.split_at(2).0,
        &OF_EDITS,
    ];
    type Returns = StructOf<PatchResult>;
    type State = Opened;
    // A NULL must not silently skip a patch.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let arguments = patch_arguments(args)?;
        Ok(out.row(&opened.tools.patch(&mut opened.engine, &arguments)?))
    }
}

fn patch_arguments(args: Args<'_>) -> Result<PatchArguments> {
    let values = row_options(args.options(), FIELDS, args.function())?;
    let options = args.with((FIELDS, &values), (&[], &[]));
    let base_oids = match options.get(BASE_OIDS)? {
        None => BTreeMap::new(),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            Error::invalid_args(format!("base_oids is not a JSON object of texts: {error}"))
                .with_hint("Give '{\"src/app.py\": \"<git blob id>\"}'")
        })?,
    };
    let patch = match args.has(PAIRS_OF) {
        true => args.get(EDITS_OF)?,
        false => args.owned(PATCH)?,
    };
    Ok(PatchArguments {
        sandbox: args.owned(SANDBOX)?,
        patch,
        fuzz: options.get(FUZZ)?,
        unidiff_zero: options.get(UNIDIFF_ZERO)?,
        dry_run: options.get(DRY_RUN)?,
        base_oids,
        reason: options.get(REASON)?.map(str::to_owned),
    })
}
