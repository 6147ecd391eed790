//! The parameters of the file tools.

use std::marker::PhantomData;

use crate::ffi::Overload;
use redline_base::budget::{TryGather, owned};
use redline_base::error::{Error, Result};
use redline_base::strict_json;
use redline_rows::params::{
    Args, Asked, Flag, Given, Kind, Name, Param, RowArguments, Text, flag, required,
};
use redline_rows::{Field, Type, fields};
use redline_tools::{EditArgument, EditFileArguments, WriteFileArguments};

/// The file that a tool is called for.
pub const PATH: Param<Name> = required("path", "The file, as sandbox/relative/path");
/// The file of an edit in a list.
const EDIT_PATH: Param<Text> = required("path", "The file, below the sandbox");
/// The content of a file.
pub const CONTENT: Param<Text> = required("content", "The whole new content");
/// The text to replace.
pub const OLD_STRING: Param<Text> =
    required("old_string", "The text to replace; it must occur exactly once");
/// Its replacement.
pub const NEW_STRING: Param<Text> = required("new_string", "The replacement");
/// Whether every occurrence is replaced.
pub const REPLACE_ALL: Param<Flag> = flag("replace_all", false, "Replace every occurrence");

/// The fields of a replacement.
pub trait EditFields: 'static {
    /// The fields.
    const FIELDS: &'static [Field];
    /// A struct of them.
    const STRUCT: Type = Type::Struct(Self::FIELDS);
    /// A list of such structs.
    const LIST: Type = Type::List(&Self::STRUCT);
}

/// A replacement of one occurrence.
pub struct Pair;

impl EditFields for Pair {
    const FIELDS: &'static [Field] = fields![OLD_STRING, NEW_STRING];
}

/// A replacement of one occurrence or all.
pub struct PairOrAll;

impl EditFields for PairOrAll {
    const FIELDS: &'static [Field] = fields![OLD_STRING, NEW_STRING, REPLACE_ALL];
}

/// A list of replacements.
pub struct Edits<F>(PhantomData<F>);

/// A replacement in a file of a sandbox, of one occurrence.
pub struct PairOf;

impl EditFields for PairOf {
    const FIELDS: &'static [Field] = fields![EDIT_PATH, OLD_STRING, NEW_STRING];
}

/// A replacement in a file of a sandbox, of one occurrence or all.
pub struct PairOrAllOf;

impl EditFields for PairOrAllOf {
    const FIELDS: &'static [Field] = fields![EDIT_PATH, OLD_STRING, NEW_STRING, REPLACE_ALL];
}

/// A list of replacements in several files, as the JSON form of a patch.
pub struct EditsOf<F>(PhantomData<F>);

const EDITS_WANTED: &str =
    "Give a list of {'old_string': …, 'new_string': …}, or of {…, 'replace_all': …}";

impl<F: EditFields> Kind for Edits<F> {
    const TYPE: Type = F::LIST;
    const WANTED: &'static str = EDITS_WANTED;
    type Of<'a> = Vec<EditArgument>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<EditArgument>> {
        each_edit(given, asked, Self::WANTED, |edit| edit.replacement())
    }
}

impl<F: EditFields> Kind for EditsOf<F> {
    const TYPE: Type = F::LIST;
    const WANTED: &'static str =
        "Give a list of {'path': …, 'old_string': …, 'new_string': …}, or of {…, 'replace_all': …}";
    type Of<'a> = String;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<String> {
        let edits = each_edit(given, asked, Self::WANTED, |edit| {
            let path = edit.text(EDIT_PATH)?;
            let EditArgument { old_string, new_string, replace_all } = edit.replacement()?;
            Ok(serde_json::json!({
                "path": path, "old_string": old_string, "new_string": new_string, "replace_all": replace_all,
            }))
        })?;
        Ok(strict_json::write(&edits).expect("texts and flags are always JSON"))
    }
}

/// An element of a list of replacements.
struct EditRow<'a> {
    row: &'a dyn RowArguments,
    number: usize,
    asked: Asked<'a>,
}

impl EditRow<'_> {
    fn field(&self, name: &str) -> Option<Given<'_>> {
        self.row.place(name).map(|place| Given::Row(self.row, place))
    }

    fn text(&self, param: Param<Text>) -> Result<String> {
        let part = format!("edits[{}].{}", self.number, param.field.name);
        let asked = Asked { name: &part, ..self.asked };
        Ok(owned(param.read_as(self.field(param.field.name), asked)?)?)
    }

    fn replacement(&self) -> Result<EditArgument> {
        let replace_all = REPLACE_ALL.read_as(self.field(REPLACE_ALL.field.name), self.asked)?;
        Ok(EditArgument {
            old_string: self.text(OLD_STRING)?,
            new_string: self.text(NEW_STRING)?,
            replace_all: Some(replace_all),
        })
    }
}

/// Reads each element of a list of structs.
fn each_edit<T>(
    given: Given<'_>,
    asked: Asked<'_>,
    wanted: &str,
    read: impl Fn(&EditRow<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let Given::Row(row, place) = given else { return Ok(Vec::new()) };
    let edits = row.structs(place).ok_or_else(|| asked.is_null(wanted))?;
    let edit = |(row, number): (&Option<Box<dyn RowArguments + '_>>, usize)| {
        let row = row.as_deref().ok_or_else(|| {
            let function = asked.function;
            Error::invalid_args(format!("the element {number} of edits of {function} is NULL"))
                .with_hint(wanted)
        })?;
        read(&EditRow { row, number, asked })
    };
    edits.iter().zip(1..).map(edit).try_gather()
}

const EDITS_DOC: &str =
    "Replacements, all matched against the file as it is, made together or not at all";
/// A list of edits. DuckDB casts a struct to another one with the same number of fields, so each
/// form is an overload.
pub const PAIRS: Param<Edits<Pair>> = required("edits", EDITS_DOC);
/// See [`PAIRS`].
pub const EDITS: Param<Edits<PairOrAll>> = required("edits", EDITS_DOC);

/// A list of edits of several files.
pub const PAIRS_OF: Param<EditsOf<PairOf>> = required("edits", EDITS_DOC);
/// See [`PAIRS_OF`].
pub const EDITS_OF: Param<EditsOf<PairOrAllOf>> = required("edits", EDITS_DOC);

/// One replacement, with the required parameters only.
pub const ONE: Overload = fields![PATH, OLD_STRING, NEW_STRING];
/// One replacement.
pub const ONE_OR_ALL: Overload = fields![PATH, OLD_STRING, NEW_STRING, REPLACE_ALL];

/// Returns the path of a row and its replacements: `old_string`, `new_string` and `replace_all`, or
/// `edits`.
///
/// # Errors
/// `invalid_args`, also for a NULL, which must not silently skip an edit.
pub fn edit_arguments(args: Args<'_>) -> Result<EditFileArguments> {
    let path = args.owned(PATH)?;
    if args.has(EDITS) {
        let edits = Some(args.get(EDITS)?);
        return Ok(EditFileArguments { path, edits, ..EditFileArguments::default() });
    }
    Ok(EditFileArguments {
        path,
        old_string: Some(args.owned(OLD_STRING)?),
        new_string: Some(args.owned(NEW_STRING)?),
        replace_all: Some(args.get(REPLACE_ALL)?),
        ..EditFileArguments::default()
    })
}

/// Returns the arguments `path` and `content` of a row.
///
/// # Errors
/// `invalid_args`, also for a NULL, which must not silently skip a write.
pub fn write_arguments(args: Args<'_>) -> Result<WriteFileArguments> {
    let content = args.owned(CONTENT)?;
    Ok(WriteFileArguments { path: args.owned(PATH)?, content })
}
