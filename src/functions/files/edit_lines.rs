//! `edit_lines(path, first_line, last_line, new_text, base_oid)`: replaces lines of a file by
//! number.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::PATH;
use crate::functions::params::{Args, BigInt, Name, Param, Text, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_rows::{Out, StructOf, Written};
use redline_tools::{EditCall, EditLinesArguments, EditResult};

const FIRST_LINE: Param<BigInt> = required("first_line", "The first line that is replaced, from 1");
const LAST_LINE: Param<BigInt> =
    required("last_line", "The last one; first_line - 1 inserts before first_line");
const NEW_TEXT: Param<Text> = required("new_text", "The new lines; '' removes the old ones");
const BASE_OID: Param<Name> = required(
    "base_oid",
    "The git blob id that the file must have: numbers mean lines of one version",
);

/// The scalar function.
pub struct EditLines;

impl Scalar for EditLines {
    const DECLARATION: Declaration = Declaration {
        name: "edit_lines",
        family: Family::Files,
        grant: Grant::Tools(&["edit_file"]),
        description: "Replaces lines of a file by their numbers, or inserts lines at one",
        example: "SELECT edit_lines('workspace/app.py', 1, 1, 'x = 2', '7d4290a117a4ddcc11daae7ea675841033830c8f').oid",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![PATH, FIRST_LINE, LAST_LINE, NEW_TEXT, BASE_OID]];
    type Returns = StructOf<EditResult>;
    type State = Opened;
    // A NULL must not silently skip an edit.
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let path = args.owned(PATH)?;
        let [first, last] = [args.get(FIRST_LINE)?, args.get(LAST_LINE)?];
        let line = |given: i64| {
            u64::try_from(given).map_err(|_| {
                Error::invalid_args(format!("there are no lines {first} to {last}"))
                    .with_hint("Give the numbers of lines from 1 on")
            })
        };
        let lines = [line(first)?, line(last)?];
        let new_text = args.owned(NEW_TEXT)?;
        let base_oid = args.owned(BASE_OID)?;
        let asked = EditLinesArguments::new(path, lines, new_text, base_oid);
        Ok(out.row(&opened.tools.edit(&mut opened.engine, EditCall::Lines(&asked))?))
    }
}
