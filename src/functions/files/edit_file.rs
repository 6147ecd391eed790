//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])` and `edit_file(path,
//! edits [, base_oid])`: replaces passages of a file.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{
    EDITS, NEW_STRING, OLD_STRING, ONE, ONE_OR_ALL, PAIRS, PATH, REPLACE_ALL, edit_arguments,
};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, optional};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Out, StructOf, Written};
use redline_tools::{EditCall, EditResult};

const BASE_OID: Param<Maybe<Bytes>> =
    optional("base_oid", "The git blob id that the file must have; NULL for any");

/// The scalar function.
pub struct EditFile;

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
