//! `read_file(path [, offset, max_chars])`: the text of a file, or a part of it.

use std::sync::Arc;

use super::file_tools::{FileTools, PATH};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context;
use crate::functions::params::arguments::row_text;
use crate::functions::surface::records::{RecordType, write_record};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::ReadResult;

/// The scalar function.
pub struct ReadFile;

impl Declared for ReadFile {
    const DECLARATION: Declaration = Declaration {
        family: Family::Files,
        grant: Grant::Tools(&["read_file"]),
        description: "The text of a file, or a part of it",
        example: "SELECT read_file('workspace/README.md').content",
    };
}

const OFFSET: Field =
    Field::optional("offset", Type::BigInt, "0", "Characters to leave out at the start");
const MAX_CHARS: Field = Field::optional(
    "max_chars",
    Type::BigInt,
    "NULL",
    "Most characters to return; NULL is no limit",
);

impl ScalarFunction for ReadFile {
    const NAME: &'static str = "read_file";
    const OVERLOADS: &'static [Overload] = &[&[PATH], &[PATH, OFFSET, MAX_CHARS]];
    const RETURNS: Type = RecordType::<ReadResult>::STRUCT;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = FileTools;

    fn budget(tools: &FileTools) -> Option<&Arc<Budget>> {
        Some(tools.budget())
    }

    fn open(settings: Settings) -> Result<FileTools> {
        FileTools::open::<Self>(settings)
    }

    fn call(tools: &mut FileTools, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let count = |index, name: &str| match arguments.bigint(index) {
            None => Ok(None),
            Some(given) => u64::try_from(given).map(Some).map_err(|_| {
                Error::invalid_args(format!("{name} is {given}"))
                    .with_hint("Give a number of characters, 0 or more")
            }),
        };
        let path = row_text(arguments, 0, "path")?;
        let (offset, max_chars) = (count(1, "offset")?, count(2, "max_chars")?);
        write_record(&tools.read(&path, offset.unwrap_or(0), max_chars)?, out);
        Ok(())
    }
}
