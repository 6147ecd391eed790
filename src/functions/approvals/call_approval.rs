//! `read_approval`, `write_approval` and `edit_approval`: the description of a call for a person,
//! whatever the sandbox requires.
//!
//! They record proposals, so they are volatile.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{
    CONTENT, EDITS, ONE, ONE_OR_ALL, PAIRS, PATH, edit_arguments, write_arguments,
};
use crate::functions::params::{Args, fields};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_rows::{Json, Out, Written};
use redline_tools::{FileCall, ReadFileArguments};

/// Declares a function that returns the payload of one kind of call, whatever the sandbox requires.
macro_rules! approval_of {
    ($(#[$doc:meta])* $type:ident, $name:literal, $tool:literal, $overloads:expr, $call:ident, $example:literal) => {
        $(#[$doc])*
        pub struct $type;

        impl Scalar for $type {
            const DECLARATION: Declaration = Declaration {
                name: $name,
                family: Family::Approvals,
                grant: Grant::Tools(&[$tool]),
                description: concat!("The payload that shows a person what ", $tool, " would do, whatever the sandbox asks for"),
                example: $example,
            };
            const OVERLOADS: &'static [Overload] = $overloads;
            type Returns = Json;
            type State = Opened;
            const NULLS: Nulls = Nulls::Handle;

            fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Json>) -> Result<Written> {
                Ok(out.json(opened.tools.approval(&$call(args)?)?))
            }
        }
    };
}

approval_of!(
    /// `read_approval(path)`
    ReadApproval,
    "read_approval",
    "read_file",
    &[fields![PATH]],
    read_call,
    "SELECT read_approval('workspace/a.txt')"
);

approval_of!(
    /// `write_approval(path, content)`
    WriteApproval,
    "write_approval",
    "write_file",
    &[fields![PATH, CONTENT]],
    write_call,
    "SELECT write_approval('workspace/a.txt', 'text')"
);

approval_of!(
    /// `edit_approval(path, old_string, new_string [, replace_all])` and `edit_approval(path,
    /// edits)`
    EditApproval,
    "edit_approval",
    "edit_file",
    &[ONE, ONE_OR_ALL, fields![PATH, PAIRS], fields![PATH, EDITS]],
    edit_call,
    "SELECT edit_approval('workspace/app.py', 'x = 1', 'x = 2')"
);

fn read_call(args: Args<'_>) -> Result<FileCall> {
    let path = args.get(PATH)?.to_owned();
    Ok(FileCall::Read(ReadFileArguments { path, ..ReadFileArguments::default() }))
}

fn write_call(args: Args<'_>) -> Result<FileCall> {
    write_arguments(args).map(FileCall::Write)
}

fn edit_call(args: Args<'_>) -> Result<FileCall> {
    edit_arguments(args).map(FileCall::Edit)
}
