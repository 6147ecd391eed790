//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])` and `edit_file(path,
//! edits [, base_oid])`: replaces passages of a file.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{
    EDITS, NEW_STRING, OLD_STRING, ONE, ONE_OR_ALL, PAIRS, PATH, REPLACE_ALL, edit_arguments,
};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, optional};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, Out, Row, Scalar, StructOf, Written, bigint, varchar,
};
use redline_base::error::Result;
use redline_tools::{EditCall, EditResult};

const BASE_OID: Param<Maybe<Bytes>> =
    optional("base_oid", "The git blob id that the file must have; NULL for any");

/// The scalar function.
pub struct EditFile;

impl Row for EditResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("path", "The path as given.", |result, out| out.text(result.path.as_str())),
        bigint("replacements_made", "Number of replacements made.", |result| {
            result.replacements_made.into()
        }),
        bigint(
            "lines_changed",
            "The larger of the numbers of added and removed lines.",
            |result| result.lines_changed.into(),
        ),
        varchar("message", "The report, in one sentence.", |result, out| {
            out.text(result.message.as_str())
        }),
        varchar("unified_diff", "The change, with three lines of context.", |result, out| {
            out.text(result.unified_diff.as_str())
        }),
        varchar("base_oid", "The git blob id of the file before.", |result, out| {
            out.text(result.base_oid.as_str())
        }),
        varchar(
            "oid",
            "The git blob id of the file now; pass it as base_oid of the next edit.",
            |result, out| out.text(result.oid.as_str()),
        ),
    ];
}

impl Scalar for EditFile {
    const DECLARATION: Declaration = Declaration {
        name: "edit_file",
        family: Family::Files,
        grant: Grant::Tools(&["edit_file"]),
        description: "Replaces text in a file",
        example: "SELECT edit_file('workspace/app.py', 'x = 1', 'x = 2').unified_diff",
    };
    const OVERLOADS: &'static [Overload] = &[
        ONE,
        ONE_OR_ALL,
        fields![PATH, OLD_STRING, NEW_STRING, REPLACE_ALL, BASE_OID],
        fields![PATH, PAIRS],
        fields![PATH, PAIRS, BASE_OID],
        fields![PATH, EDITS],
        fields![PATH, EDITS, BASE_OID],
    ];
    type Returns = StructOf<EditResult>;
    type State = Opened;
    // A NULL must not silently skip an edit.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let mut asked = edit_arguments(args)?;
        let base_oid = args.get(BASE_OID)?;
        asked.base_oid = base_oid.map(|given| String::from_utf8_lossy(given).into_owned());
        Ok(out.row(&opened.tools.edit(&mut opened.engine, EditCall::Strings(&asked))?))
    }
}
