//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])` and
//! `edit_file(path, edits [, base_oid])`: passages of a file replaced.

use std::sync::Arc;

use super::file_tools::FileTools;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host;
use crate::functions::params::arguments::{change_path, change_text};
use crate::text::Engine;
use crate::tools::{EditArgument, EditFileArguments};

/// A list of edits. DuckDB casts a struct to one that has as many fields, so each form is an overload.
pub const PAIRS: Type = Type::List(&Type::Struct(&[OLD_STRING, NEW_STRING]));
/// See [`PAIRS`].
pub const EDITS: Type = Type::List(&Type::Struct(&[OLD_STRING, NEW_STRING, Field::new("replace_all", Type::Boolean)]));
const OLD_STRING: Field = Field::new("old_string", Type::Varchar);
const NEW_STRING: Field = Field::new("new_string", Type::Varchar);

/// The scalar function.
pub struct EditFile;

impl ScalarFunction for EditFile {
    const NAME: &'static str = "edit_file";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Boolean],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Boolean, Type::Varchar],
        &[Type::Varchar, PAIRS],
        &[Type::Varchar, PAIRS, Type::Varchar],
        &[Type::Varchar, EDITS],
        &[Type::Varchar, EDITS, Type::Varchar],
    ];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("replacements_made", Type::BigInt),
        Field::new("lines_changed", Type::BigInt),
        Field::new("message", Type::Varchar),
        Field::new("unified_diff", Type::Varchar),
        Field::new("base_oid", Type::Varchar),
        Field::new("oid", Type::Varchar),
    ]);
    const VOLATILE: bool = true;
    // A NULL must not be an edit that silently did not happen.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = (FileTools, Engine);

    fn budget((tools, _): &Self::State) -> Option<&Arc<Budget>> {
        Some(tools.budget())
    }

    fn open(settings: Settings) -> Result<Self::State> {
        Ok((FileTools::open(Self::NAME, settings)?, Engine::default()))
    }

    fn call((tools, engine): &mut Self::State, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let mut asked = edit_arguments(arguments, Self::NAME)?;
        let base_oid = if arguments.is_text(1) { 4 } else { 2 };
        asked.base_oid = arguments.text(base_oid).map(|given| String::from_utf8_lossy(given).into_owned());
        let result = tools.edit(engine, &asked)?;
        let fields = out.fields_mut();
        fields[0].push_text(Some(&result.path));
        fields[1].push_bigint(i64::try_from(result.replacements_made).ok());
        fields[2].push_bigint(i64::try_from(result.lines_changed).ok());
        fields[3].push_text(Some(&result.message));
        fields[4].push_text(Some(&result.unified_diff));
        fields[5].push_text(Some(&result.base_oid));
        fields[6].push_text(Some(&result.oid));
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
        Error::invalid_args(format!("{what} of {function} is NULL"))
            .with_hint("Give a list of {'old_string': …, 'new_string': …}, or of {…, 'replace_all': …}")
    };
    let edits = arguments.structs(1).ok_or_else(|| null("the argument 'edits'".to_owned()))?;
    let edits = edits.enumerate().map(|(index, edit)| {
        let edit = edit.ok_or_else(|| null(format!("the element {} of edits", index + 1)))?;
        Ok(EditArgument {
            old_string: change_text(edit, 0, function, &format!("edits[{}].old_string", index + 1))?,
            new_string: change_text(edit, 1, function, &format!("edits[{}].new_string", index + 1))?,
            replace_all: edit.boolean(2),
        })
    });
    Ok(EditFileArguments { path, edits: Some(edits.collect::<Result<_>>()?), ..EditFileArguments::default() })
}
