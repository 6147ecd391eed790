//! `write_file(path, content)`: a file made or replaced as a whole.

use std::sync::Arc;

use super::file_tools::{FileTools, PATH};
use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context;
use crate::functions::params::arguments::{change_path, change_text};
use crate::functions::surface::records::{RecordType, write_record};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::{WriteFileArguments, WriteResult};

/// The scalar function.
pub struct WriteFile;

impl Declared for WriteFile {
    const DECLARATION: Declaration = Declaration {
        family: Family::Files,
        grant: Grant::Tools(&["write_file"]),
        description: "Creates or overwrites a file and its parent directories",
        example: "SELECT write_file('workspace/notes.txt', 'text').message",
    };
}

/// The content.
pub const CONTENT: Field = Field::new("content", Type::Varchar, "The whole new content");

impl ScalarFunction for WriteFile {
    const NAME: &'static str = "write_file";
    const OVERLOADS: &'static [Overload] = &[&[PATH, CONTENT]];
    const RETURNS: Type = RecordType::<WriteResult>::STRUCT;
    const VOLATILE: bool = true;
    // A NULL must not be a write that silently did not happen.
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
        write_record(&tools.write(&write_arguments(arguments, Self::NAME)?)?, out);
        Ok(())
    }
}

/// Returns the arguments `path` and `content` of a row.
pub fn write_arguments(arguments: Arguments<'_>, function: &str) -> Result<WriteFileArguments> {
    let content = change_text(arguments, 1, function, "content")?;
    Ok(WriteFileArguments { path: change_path(arguments, function)?, content })
}
