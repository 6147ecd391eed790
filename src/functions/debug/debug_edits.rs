//! A function that tells its arguments, in debug builds only: tests use it to see what DuckDB
//! makes of lists of structs.

use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::files::edit_file::{EDITS, ONE, PAIRS};
use crate::functions::files::file_tools::PATH;
use crate::functions::surface::{Declaration, Declared, Family, Grant};

/// `redline_debug_edits(path, edits [, base_oid])` and `redline_debug_edits(path, old_string, new_string)`.
pub struct Edits;

impl Declared for Edits {
    const DECLARATION: Declaration = Declaration {
        family: Family::Debug,
        grant: Grant::Everybody,
        description: "Tells its arguments",
        example: "SELECT redline_debug_edits('a', 'b', 'c')",
    };
}

const OTHER: Field = Field::new("base_oid", Type::Varchar, "Any text");

impl ScalarFunction for Edits {
    const NAME: &'static str = "redline_debug_edits";
    const OVERLOADS: &'static [Overload] =
        &[&[PATH, PAIRS], &[PATH, EDITS], &[PATH, PAIRS, OTHER], &[PATH, EDITS, OTHER], ONE];
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
            arguments
                .text(index)
                .map_or("NULL".to_owned(), |text| String::from_utf8_lossy(text).into_owned())
        };
        let edits = if arguments.is_text(1) {
            text(arguments, 1)
        } else {
            match arguments.structs(1) {
                None => "NULL".to_owned(),
                Some(edits) => edits
                    .map(|edit| match edit {
                        None => "NULL".to_owned(),
                        Some(edit) => {
                            format!("{}>{}>{:?}", text(edit, 0), text(edit, 1), edit.boolean(2))
                        }
                    })
                    .collect::<Vec<_>>()
                    .join(";"),
            }
        };
        out.push_text(Some(&format!("{}|{edits}|{}", text(arguments, 0), text(arguments, 2))));
        Ok(())
    }
}
