//! What a person is shown before a file tool does something, and the yes: `needs_approval`,
//! `read_approval`, `write_approval`, `edit_approval`, `approve`, `approval_chunk`, `approvals_waiting`.
//!
//! They record what was proposed or approved, so they are volatile.

use std::time::Instant;

use super::arguments::{change_path, change_text};
use super::edit_file::{EDITS, PAIRS, edit_arguments};
use super::file_tools::FileTools;
use super::host::{self, Host};
use super::write_file::write_arguments;
use super::{grants, settings};
use crate::edit::Scope;
use crate::edit::payload::{Payload, Received};
use crate::error::{Error, Result};
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::tools::{FileCall, ReadFileArguments};

/// `needs_approval(tool, args)`: the payload that a person decides on; NULL when nobody has to be asked.
pub struct NeedsApproval;

impl ScalarFunction for NeedsApproval {
    const NAME: &'static str = "needs_approval";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
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
        let payload = match &call {
            Some(call) => tools.needs_approval(call)?,
            None => None,
        };
        out.push_text(payload.as_ref().map(Payload::to_json).as_deref());
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
                out.push_text(Some(&tools.approval(&$call(arguments)?)?.to_json()));
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

/// `approve(payload [, scope])`: records a yes to what the payload shows, and returns its approval id.
pub struct Approve;

impl ScalarFunction for Approve {
    const NAME: &'static str = "approve";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar], &[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::open(Self::NAME, settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        // What needs no approval has no payload, and nothing is approved.
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let scope = match arguments.text(1) {
            Some(name) => Scope::parse(&String::from_utf8_lossy(name))?,
            None => Scope::default(),
        };
        let Received::Known(payload) = Received::parse(&change_text(arguments, 0, Self::NAME, "payload")?)? else {
            return Err(Error::invalid_args("the payload is of a type that redline does not know")
                .with_hint("Give a payload of needs_approval, write_approval, edit_approval or read_approval"));
        };
        let ttl = settings::approval_ttl(&host.settings);
        let id = host.database.approvals.approve(&payload, scope, Instant::now(), ttl)?;
        out.push_text(Some(&id));
        Ok(())
    }
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
        let ttl = settings::approval_ttl(&host.settings);
        let chunk = host.database.approvals.chunk(&reference, number, Instant::now(), ttl)?;
        out.push_text(Some(&chunk));
        Ok(())
    }
}

/// `approvals_waiting()`: what waits for a person, the oldest first.
pub struct ApprovalsWaiting;

/// A running scan: the payloads that are left, and the projection.
pub struct Scan {
    left: std::vec::IntoIter<Payload>,
    projection: Vec<usize>,
}

impl TableFunction for ApprovalsWaiting {
    const NAME: &'static str = "approvals_waiting";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[
        Field::new("approval_id", Type::Varchar),
        Field::new("description", Type::Varchar),
        Field::new("payload", Type::Json),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = ();
    type Scan = Scan;

    fn bind(_: &[Value], _: &[Value]) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Scan> {
        grants::require_function(Self::NAME, &open.settings)?;
        let host = Host::new(open.settings)?;
        let waiting = host.database.approvals.waiting(Instant::now(), settings::approval_ttl(&host.settings));
        Ok(Scan { left: waiting.into_iter(), projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some(payload) = scan.left.next()
        {
            for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                match Self::COLUMNS[index].name {
                    "approval_id" => column.push_text(Some(payload.approval_id())),
                    "description" => column.push_text(Some(payload.description())),
                    "payload" => column.push_text(Some(&payload.to_json())),
                    other => unreachable!("no column {other}"),
                }
            }
        }
        Ok(())
    }
}
