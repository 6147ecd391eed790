//! `read_approval`, `write_approval` and `edit_approval`: what a person is shown of a call, whatever the sandbox asks for.
//!
//! They record what was proposed, so they are volatile.

use crate::error::Result;
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context;
use crate::functions::files::edit_file::{EDITS, ONE, ONE_OR_ALL, PAIRS, edit_arguments};
use crate::functions::files::file_tools::{FileTools, PATH};
use crate::functions::files::write_file::{CONTENT, write_arguments};
use crate::functions::params::arguments::change_path;
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::tools::{FileCall, ReadFileArguments};

/// Declares a function that returns the payload of one kind of call, whatever the sandbox asks for.
macro_rules! approval_of {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tool:literal, $overloads:expr, $call:ident, $example:literal) => {
        $(#[$doc])*
        pub struct $type;

        impl Declared for $type {
            const DECLARATION: Declaration = Declaration {
                family: Family::Approvals,
                grant: Grant::Tools(&[$tool]),
                description: concat!("The payload that shows a person what ", $tool, " would do, whatever the sandbox asks for"),
                example: $example,
            };
        }

        impl ScalarFunction for $type {
            const NAME: &'static str = $name;
            const OVERLOADS: &'static [Overload] = $overloads;
            const RETURNS: Type = Type::Json;
            const VOLATILE: bool = true;
            const NULLS: Nulls = Nulls::Handle;
            const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
            type State = FileTools;

            fn open(settings: Settings) -> Result<FileTools> {
                FileTools::open::<Self>(settings)
            }

            fn call(tools: &mut FileTools, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
                out.push_text(Some(&tools.approval(&$call(arguments)?)?));
                Ok(())
            }
        }
    };
}

approval_of!(
    /// `read_approval(path)`
    ReadApproval,
    "read_approval",
    "read_file",
    &[&[PATH]],
    read_call,
    "SELECT read_approval('workspace/a.txt')"
);

approval_of!(
    /// `write_approval(path, content)`
    WriteApproval,
    "write_approval",
    "write_file",
    &[&[PATH, CONTENT]],
    write_call,
    "SELECT write_approval('workspace/a.txt', 'text')"
);

approval_of!(
    /// `edit_approval(path, old_string, new_string [, replace_all])` and `edit_approval(path, edits)`
    EditApproval,
    "edit_approval",
    "edit_file",
    &[ONE, ONE_OR_ALL, &[PATH, PAIRS], &[PATH, EDITS]],
    edit_call,
    "SELECT edit_approval('workspace/app.py', 'x = 1', 'x = 2')"
);

fn read_call(arguments: Arguments<'_>) -> Result<FileCall> {
    let path = change_path(arguments, ReadApproval::NAME)?;
    Ok(FileCall::Read(ReadFileArguments { path, ..ReadFileArguments::default() }))
}

fn write_call(arguments: Arguments<'_>) -> Result<FileCall> {
    write_arguments(arguments, WriteApproval::NAME).map(FileCall::Write)
}

fn edit_call(arguments: Arguments<'_>) -> Result<FileCall> {
    edit_arguments(arguments, EditApproval::NAME).map(FileCall::Edit)
}
