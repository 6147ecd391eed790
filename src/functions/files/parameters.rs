//! The parameters of the file tools.

use std::marker::PhantomData;
use std::sync::Arc;

use super::file_tools::FileTools;
use crate::budget::{Budget, owned};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Field, Overload, Settings, Type};
use crate::functions::context::execution_context;
use crate::functions::params::args::Args;
use crate::functions::params::fields;
use crate::functions::params::given::Given;
use crate::functions::params::kinds::{Name, Text};
use crate::functions::params::param::{Asked, Flag, Kind, Param, flag, required};
use crate::functions::surface::{Declared, State};
use crate::tools::{EditArgument, EditFileArguments, WriteFileArguments};

/// The file that a tool is called for.
pub const PATH: Param<Name> = required("path", "The file, as sandbox/relative/path");
/// The content of a file.
pub const CONTENT: Param<Text> = required("content", "The whole new content");
/// The text to replace.
pub const OLD_STRING: Param<Text> =
    required("old_string", "The text to replace; it must occur exactly once");
/// What replaces it.
pub const NEW_STRING: Param<Text> = required("new_string", "The replacement");
/// Whether every occurrence is replaced.
pub const REPLACE_ALL: Param<Flag> = flag("replace_all", false, "Replace every occurrence");

/// The fields of a replacement.
pub trait EditFields: 'static {
    /// The fields.
    const FIELDS: &'static [Field];
    /// A list of such structs.
    const LIST: Type;
}

/// A replacement of one occurrence.
pub struct Pair;

impl EditFields for Pair {
    const FIELDS: &'static [Field] = fields![OLD_STRING, NEW_STRING];
    const LIST: Type = Type::List(&Type::Struct(Self::FIELDS));
}

/// A replacement of one occurrence or all.
pub struct PairOrAll;

impl EditFields for PairOrAll {
    const FIELDS: &'static [Field] = fields![OLD_STRING, NEW_STRING, REPLACE_ALL];
    const LIST: Type = Type::List(&Type::Struct(Self::FIELDS));
}

/// A list of replacements.
pub struct Edits<F>(PhantomData<F>);

const EDITS_WANTED: &str =
    "Give a list of {'old_string': …, 'new_string': …}, or of {…, 'replace_all': …}";

impl<F: EditFields> Kind for Edits<F> {
    const TYPE: Type = F::LIST;
    const WANTED: &'static str = EDITS_WANTED;
    type Of<'a> = Vec<EditArgument>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<EditArgument>> {
        let Given::Row(row, place) = given else { return Ok(Vec::new()) };
        let edits = row.structs(place).ok_or_else(|| asked.is_null(Self::WANTED))?;
        let edit = |(index, edit): (usize, Option<Arguments<'_>>)| {
            let number = index + 1;
            let edit = edit.ok_or_else(|| {
                let function = asked.function;
                Error::invalid_args(format!("the element {number} of edits of {function} is NULL"))
                    .with_hint(Self::WANTED)
            })?;
            let field = |name: &str| edit.place(name).map(|place| Given::Row(edit, place));
            let text = |param: Param<Text>| {
                let part = format!("edits[{number}].{}", param.field.name);
                let asked = Asked { name: &part, ..asked };
                Ok::<_, Error>(owned(param.read_as(field(param.field.name), asked)?)?)
            };
            let replace_all = REPLACE_ALL.read_as(field(REPLACE_ALL.field.name), asked)?;
            Ok(EditArgument {
                old_string: text(OLD_STRING)?,
                new_string: text(NEW_STRING)?,
                replace_all: Some(replace_all),
            })
        };
        edits.enumerate().map(edit).collect()
    }
}

const EDITS_DOC: &str =
    "Replacements, all matched against the file as it is, made together or not at all";
/// A list of edits. DuckDB casts a struct to one that has as many fields, so each form is an overload.
pub const PAIRS: Param<Edits<Pair>> = required("edits", EDITS_DOC);
/// See [`PAIRS`].
pub const EDITS: Param<Edits<PairOrAll>> = required("edits", EDITS_DOC);

/// One replacement, without what may be left out.
pub const ONE: Overload = fields![PATH, OLD_STRING, NEW_STRING];
/// One replacement.
pub const ONE_OR_ALL: Overload = fields![PATH, OLD_STRING, NEW_STRING, REPLACE_ALL];

/// Returns the path of a row and what is replaced: `old_string`, `new_string` and `replace_all`, or `edits`.
///
/// # Errors
/// `invalid_args`, also for a NULL: it must not be an edit that silently did not happen.
pub fn edit_arguments(args: Args<'_>) -> Result<EditFileArguments> {
    let path = owned(args.get(PATH)?)?;
    if args.has(EDITS) {
        let edits = Some(args.get(EDITS)?);
        return Ok(EditFileArguments { path, edits, ..EditFileArguments::default() });
    }
    Ok(EditFileArguments {
        path,
        old_string: Some(owned(args.get(OLD_STRING)?)?),
        new_string: Some(owned(args.get(NEW_STRING)?)?),
        replace_all: Some(args.get(REPLACE_ALL)?),
        ..EditFileArguments::default()
    })
}

/// Returns the arguments `path` and `content` of a row.
///
/// # Errors
/// `invalid_args`, also for a NULL: it must not be a write that silently did not happen.
pub fn write_arguments(args: Args<'_>) -> Result<WriteFileArguments> {
    let content = owned(args.get(CONTENT)?)?;
    Ok(WriteFileArguments { path: owned(args.get(PATH)?)?, content })
}

/// The rows of a file tool are computed one after the other, since they change files.
impl State for FileTools {
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;

    fn open<F: Declared>(settings: Settings) -> Result<Self> {
        Self::open::<F>(settings)
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(self.budget())
    }
}
