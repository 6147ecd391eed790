//! What a person is shown before a file tool does something: `needs_approval`, `read_approval`, `write_approval`,
//! `edit_approval`, `approval_chunk`.
//!
//! They record what was proposed, so they are volatile.

use crate::edit::payload::Received;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host::{self, Host};
use crate::functions::context::settings;
use crate::functions::files::edit_file::{EDITS, PAIRS, edit_arguments};
use crate::functions::files::file_tools::FileTools;
use crate::functions::files::write_file::write_arguments;
use crate::functions::params::arguments::{change_path, change_text, session_argument};
use crate::tools::{FileCall, ReadFileArguments};

/// `needs_approval(tool, args [, session [, key]])`: the payload that a person decides on; NULL when nobody has to be asked.
pub struct NeedsApproval;

impl ScalarFunction for NeedsApproval {
    const NAME: &'static str = "needs_approval";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Varchar],
    ];
    const RETURNS: Type = Type::Json;
    const VOLATILE: bool = true;
    // NULL is an answer, which a NULL argument must not be given.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = FileTools;

    fn open(settings: Settings) -> Result<FileTools> {
        FileTools::open(Self::NAME, settings)
    }

    fn call(tools: &mut FileTools, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let tool = change_text(arguments, 0, Self::NAME, "tool")?;
        let call = FileCall::parse(&tool, &change_text(arguments, 1, Self::NAME, "args")?)?;
        let host = tools.host();
        let holds_key = match arguments.text(3) {
            None => false,
            key => host.approver(key, Self::NAME).map(|_| true)?,
        };
        let session = session_argument(arguments, 2, host.settings.connection())?;
        tools.for_session(session);
        let payload = match &call {
            Some(call) => tools.needs_approval(call, holds_key)?,
            None => None,
        };
        out.push_text(payload.as_deref());
        Ok(())
    }
}

/// Declares a function that returns the payload of one kind of call, whatever the sandbox asks for.
macro_rules! approval_of {
    ($(#[$doc:meta])* $type:ident, $name:literal, $overloads:expr, $call:ident) => {
        $(#[$doc])*
        pub struct $type;

        impl ScalarFunction for $type {
            const NAME: &'static str = $name;
            const OVERLOADS: &'static [Overload] = $overloads;
            const RETURNS: Type = Type::Json;
            const VOLATILE: bool = true;
            const NULLS: Nulls = Nulls::Handle;
            const SETTINGS: &'static [&'static str] = host::SETTINGS;
            type State = FileTools;

            fn open(settings: Settings) -> Result<FileTools> {
                FileTools::open(Self::NAME, settings)
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
    &[&[Type::Varchar]],
    read_call
);

approval_of!(
    /// `write_approval(path, content)`
    WriteApproval,
    "write_approval",
    &[&[Type::Varchar, Type::Varchar]],
    write_call
);

approval_of!(
    /// `edit_approval(path, old_string, new_string [, replace_all])` and `edit_approval(path, edits)`
    EditApproval,
    "edit_approval",
    &[
        &[Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Boolean],
        &[Type::Varchar, PAIRS],
        &[Type::Varchar, EDITS],
    ],
    edit_call
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

/// `approval_chunk(payload_or_ref, chunk)`: chunk N, from 1, of a payload too large to send whole.
pub struct ApprovalChunk;

impl ScalarFunction for ApprovalChunk {
    const NAME: &'static str = "approval_chunk";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::BigInt]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::open(Self::NAME, settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let (Some(_), Some(number)) = (arguments.text(0), arguments.bigint(1)) else {
            out.push_null();
            return Ok(());
        };
        let given = change_text(arguments, 0, Self::NAME, "payload_or_ref")?;
        let reference = match given.trim_start().starts_with('{').then(|| Received::parse(&given)).transpose()? {
            Some(Received::Known(payload)) => payload.approval_id().to_owned(),
            Some(Received::Other { .. }) | None => given,
        };
        let number = u64::try_from(number).map_err(|_| {
            Error::invalid_args(format!("there is no chunk {number}")).with_hint("Chunks are numbered from 1")
        })?;
        let chunk = host.database.approvals.chunk(&reference, number, settings::rules(&host.settings))?;
        out.push_text(Some(&chunk));
        Ok(())
    }
}
