//! `write_file(path, content)`: a file made or replaced as a whole.

use std::sync::Arc;

use super::file_tools::FileTools;
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host;
use crate::functions::params::arguments::{change_path, change_text};
use crate::tools::WriteFileArguments;

/// The scalar function.
pub struct WriteFile;

impl ScalarFunction for WriteFile {
    const NAME: &'static str = "write_file";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("bytes_written", Type::BigInt),
        Field::new("lines_written", Type::BigInt),
        Field::new("created", Type::Boolean),
        Field::new("message", Type::Varchar),
    ]);
    const VOLATILE: bool = true;
    // A NULL must not be a write that silently did not happen.
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
        let result = tools.write(&write_arguments(arguments, Self::NAME)?)?;
        let fields = out.fields_mut();
        fields[0].push_text(Some(&result.path));
        fields[1].push_bigint(i64::try_from(result.bytes_written).ok());
        fields[2].push_bigint(i64::try_from(result.lines_written).ok());
        fields[3].push_boolean(Some(result.created));
        fields[4].push_text(Some(&result.message));
        Ok(())
    }
}

/// Returns the arguments `path` and `content` of a row.
pub fn write_arguments(arguments: Arguments<'_>, function: &str) -> Result<WriteFileArguments> {
    let content = change_text(arguments, 1, function, "content")?;
    Ok(WriteFileArguments { path: change_path(arguments, function)?, content })
}
