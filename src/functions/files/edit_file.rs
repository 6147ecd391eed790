//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])` and
//! `edit_file(path, edits [, base_oid])`: passages of a file replaced.

use std::sync::Arc;

use super::file_tools::{FileTools, PATH};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context;
use crate::functions::params::arguments::{change_path, change_text};
use crate::functions::surface::records::{RecordType, write_record};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::text::Engine;
use crate::tools::{EditArgument, EditFileArguments, EditResult};

const OLD_STRING: Field =
    Field::new("old_string", Type::Varchar, "The text to replace; it must occur exactly once");
const NEW_STRING: Field = Field::new("new_string", Type::Varchar, "The replacement");
const REPLACE_ALL: Field =
    Field::optional("replace_all", Type::Boolean, "false", "Replace every occurrence");
const BASE_OID: Field = Field::optional(
    "base_oid",
    Type::Varchar,
    "NULL",
    "The git blob id that the file must have; NULL for any",
);
/// A list of edits. DuckDB casts a struct to one that has as many fields, so each form is an overload.
pub const PAIRS: Field = Field::new(
    "edits",
    Type::List(&Type::Struct(&[OLD_STRING, NEW_STRING])),
    "Replacements, all matched against the file as it is, made together or not at all",
);
/// See [`PAIRS`].
pub const EDITS: Field =
    Field { kind: Type::List(&Type::Struct(&[OLD_STRING, NEW_STRING, REPLACE_ALL])), ..PAIRS };
/// One replacement, without what may be left out.
pub const ONE: &[Field] = &[PATH, OLD_STRING, NEW_STRING];
/// One replacement.
pub const ONE_OR_ALL: &[Field] = &[PATH, OLD_STRING, NEW_STRING, REPLACE_ALL];

/// The scalar function.
pub struct EditFile;

impl Declared for EditFile {
    const DECLARATION: Declaration = Declaration {
        family: Family::Files,
        grant: Grant::Tools(&["edit_file"]),
        description: "Replaces text in a file",
        example: "SELECT edit_file('workspace/app.py', 'x = 1', 'x = 2').unified_diff",
    };
}

impl ScalarFunction for EditFile {
    const NAME: &'static str = "edit_file";
    const OVERLOADS: &'static [Overload] = &[
        ONE,
        ONE_OR_ALL,
        &[PATH, OLD_STRING, NEW_STRING, REPLACE_ALL, BASE_OID],
        &[PATH, PAIRS],
        &[PATH, PAIRS, BASE_OID],
        &[PATH, EDITS],
        &[PATH, EDITS, BASE_OID],
    ];
    const RETURNS: Type = RecordType::<EditResult>::STRUCT;
    const VOLATILE: bool = true;
    // A NULL must not be an edit that silently did not happen.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = (FileTools, Engine);

    fn budget((tools, _): &Self::State) -> Option<&Arc<Budget>> {
        Some(tools.budget())
    }

    fn open(settings: Settings) -> Result<Self::State> {
        Ok((FileTools::open::<Self>(settings)?, Engine::default()))
    }

    fn call(
        (tools, engine): &mut Self::State,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        let mut asked = edit_arguments(arguments, Self::NAME)?;
        let base_oid = if arguments.is_text(1) { 4 } else { 2 };
        asked.base_oid =
            arguments.text(base_oid).map(|given| String::from_utf8_lossy(given).into_owned());
        write_record(&tools.edit(engine, &asked)?, out);
        Ok(())
    }
}

/// Returns the path of a row and what is replaced: `old_string`, `new_string` and `replace_all`, or `edits`.
pub fn edit_arguments(arguments: Arguments<'_>, function: &str) -> Result<EditFileArguments> {
    let path = change_path(arguments, function)?;
    if arguments.is_text(1) {
        return Ok(EditFileArguments {
            path,
            old_string: Some(change_text(arguments, 1, function, "old_string")?),
            new_string: Some(change_text(arguments, 2, function, "new_string")?),
            replace_all: arguments.boolean(3),
            ..EditFileArguments::default()
        });
    }
    let null = |what: String| {
        Error::invalid_args(format!("{what} of {function} is NULL")).with_hint(
            "Give a list of {'old_string': …, 'new_string': …}, or of {…, 'replace_all': …}",
        )
    };
    let edits = arguments.structs(1).ok_or_else(|| null("the argument 'edits'".to_owned()))?;
    let edits = edits.enumerate().map(|(index, edit)| {
        let edit = edit.ok_or_else(|| null(format!("the element {} of edits", index + 1)))?;
        Ok(EditArgument {
            old_string: change_text(
                edit,
                0,
                function,
                &format!("edits[{}].old_string", index + 1),
            )?,
            new_string: change_text(
                edit,
                1,
                function,
                &format!("edits[{}].new_string", index + 1),
            )?,
            replace_all: edit.boolean(2),
        })
    });
    Ok(EditFileArguments {
        path,
        edits: Some(edits.collect::<Result<_>>()?),
        ..EditFileArguments::default()
    })
}
