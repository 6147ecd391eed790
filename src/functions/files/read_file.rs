//! `read_file(path [, offset, max_chars])`: the text of a file, or a part of it.

use std::sync::Arc;

use super::file_tools::FileTools;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host;
use crate::functions::params::arguments::row_text;
use crate::tools::ReadFileArguments;

/// The scalar function.
pub struct ReadFile;

impl ScalarFunction for ReadFile {
    const NAME: &'static str = "read_file";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar], &[Type::Varchar, Type::BigInt, Type::BigInt]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("content", Type::Varchar),
        Field::new("lines", Type::BigInt),
        Field::new("bytes", Type::BigInt),
        Field::new("truncated", Type::Boolean),
    ]);
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = FileTools;

    fn budget(tools: &FileTools) -> Option<&Arc<Budget>> {
        Some(tools.budget())
    }

    fn open(settings: Settings) -> Result<FileTools> {
        FileTools::open(Self::NAME, settings)
    }

    fn call(tools: &mut FileTools, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let count = |index, name: &str| match arguments.bigint(index) {
            None => Ok(None),
            Some(given) => u64::try_from(given).map(Some).map_err(|_| {
                Error::invalid_args(format!("{name} is {given}")).with_hint("Give a number of characters, 0 or more")
            }),
        };
        let path = row_text(arguments, 0, "path")?;
        let (offset, max_chars) = (count(1, "offset")?, count(2, "max_chars")?);
        let result = tools.read(&ReadFileArguments { path, offset, max_chars })?;
        let fields = out.fields_mut();
        fields[0].push_text(Some(&result.path));
        fields[1].push_text(Some(&result.content));
        fields[2].push_bigint(i64::try_from(result.lines).ok());
        fields[3].push_bigint(i64::try_from(result.bytes).ok());
        fields[4].push_boolean(Some(result.truncated));
        Ok(())
    }
}
