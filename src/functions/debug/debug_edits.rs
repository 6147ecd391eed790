//! A function that tells its arguments, in debug builds only: tests use it to see what DuckDB
//! makes of lists of structs.

use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::files::edit_file::{EDITS, PAIRS};

/// `redline_debug_edits(path, edits [, base_oid])` and `redline_debug_edits(path, old_string, new_string)`.
pub struct Edits;

impl ScalarFunction for Edits {
    const NAME: &'static str = "redline_debug_edits";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, PAIRS],
        &[Type::Varchar, EDITS],
        &[Type::Varchar, PAIRS, Type::Varchar],
        &[Type::Varchar, EDITS, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar],
    ];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = |arguments: Arguments<'_>, index| {
            arguments.text(index).map_or("NULL".to_owned(), |text| String::from_utf8_lossy(text).into_owned())
        };
        let edits = if arguments.is_text(1) {
            text(arguments, 1)
        } else {
            match arguments.structs(1) {
                None => "NULL".to_owned(),
                Some(edits) => edits
                    .map(|edit| match edit {
                        None => "NULL".to_owned(),
                        Some(edit) => format!("{}>{}>{:?}", text(edit, 0), text(edit, 1), edit.boolean(2)),
                    })
                    .collect::<Vec<_>>()
                    .join(";"),
            }
        };
        out.push_text(Some(&format!("{}|{edits}|{}", text(arguments, 0), text(arguments, 2))));
        Ok(())
    }
}
