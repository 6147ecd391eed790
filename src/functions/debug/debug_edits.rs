//! A function that returns its arguments, in debug builds only: tests use it to see how DuckDB
//! passes lists of structs.

use crate::ffi::{Nulls, Overload};
use crate::functions::params::files::{EDITS, ONE, PAIRS, PATH};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::params::RowArguments;
use redline_rows::{Out, Varchar, Written};

/// `redline_debug_edits(path, edits [, base_oid])` and `redline_debug_edits(path, old_string,
/// new_string)`.
pub struct Edits;

const OTHER: Param<Maybe<Bytes>> = required("base_oid", "Any text");

impl Scalar for Edits {
    const DECLARATION: Declaration = Declaration {
        name: "redline_debug_edits",
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Returns its arguments",
        example: "SELECT redline_debug_edits('a', 'b', 'c')",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![PATH, PAIRS],
        fields![PATH, EDITS],
        fields![PATH, PAIRS, OTHER],
        fields![PATH, EDITS, OTHER],
        ONE,
    ];
    type Returns = Varchar;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let row = args.row();
        let text = |row: &dyn RowArguments, place| {
            let text: Option<&[u8]> = row.bytes(place);
            text.map_or("NULL".to_owned(), |text| String::from_utf8_lossy(text).into_owned())
        };
        let edits = if !args.has(EDITS) {
            text(row, 1)
        } else {
            match row.structs(1) {
                None => "NULL".to_owned(),
                Some(edits) => edits
                    .iter()
                    .map(|edit| match edit.as_deref() {
                        None => "NULL".to_owned(),
                        Some(edit) => {
                            format!("{}>{}>{:?}", text(edit, 0), text(edit, 1), edit.boolean(2))
                        }
                    })
                    .collect::<Vec<_>>()
                    .join(";"),
            }
        };
        Ok(out.text(format!("{}|{edits}|{}", text(row, 0), text(row, 2))))
    }
}
