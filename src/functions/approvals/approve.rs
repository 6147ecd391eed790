//! The yes of a person: `approve`, `approval_pages`, `approval_file`, `withdraw`, `approvals_waiting`,
//! `approvals_given`.
//!
//! What gives a right, or shows what must not be read unseen, wants the host's key: SQL runs with the rights of
//! whoever runs it, and a macro of an agent may run in the host's own statements, but it does not know the key.

use crate::edit::payload::{Payload, Received};
use crate::edit::{Page, Proof, Scope, proven};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::host::{self, Host};
use crate::functions::context::settings;
use crate::functions::params::arguments::change_text;
use crate::git::blob_id;
use crate::limits;
use crate::render::pages;

/// `approve(payload, scope, key [, proof])`: records a yes to what the payload shows, and returns its approval id.
pub struct Approve;

impl ScalarFunction for Approve {
    const NAME: &'static str = "approve";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Varchar],
    ];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::new(settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let by = host.approver(arguments.text(2), Self::NAME)?;
        // What needs no approval has no payload, and nothing is approved.
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let scope = Scope::parse(&change_text(arguments, 1, Self::NAME, "scope")?)?;
        let payload = known(arguments, Self::NAME)?;
        check_shown(host, &payload, scope, arguments.text(3))?;
        let id = host.database.approvals.approve(&payload, scope, &by, settings::rules(&host.settings))?;
        out.push_text(Some(&id));
        Ok(())
    }
}

/// Refuses a yes to what was not shown as a whole.
fn check_shown(host: &Host, payload: &Payload, scope: Scope, proof: Option<&[u8]>) -> Result<()> {
    if payload.is_large() {
        if scope == Scope::Unread {
            return Ok(());
        }
        return Err(too_large_to_read());
    }
    if scope == Scope::Unread {
        return Err(Error::invalid_args(
            "the scope unread is for payloads that are too large to be shown, and this one is not",
        )
        .with_hint("Show every page of approval_pages, and give the proof of the last one with the scope once"));
    }
    let hint = "Show every page of approval_pages, and give the proof of the last one";
    let Some(proof) = proof else {
        return Err(Error::invalid_args("approve was given no proof that all of the payload was shown").with_hint(hint));
    };
    let proof = Proof::parse(&String::from_utf8_lossy(proof))?;
    let shown = shown_pages(host, payload, proof.width, proof.height)?;
    if shown.last().is_some_and(|last| last.proof.is_same(&proof)) {
        return Ok(());
    }
    Err(Error::invalid_args("the proof is not that of the last page of this payload").with_hint(hint))
}

fn too_large_to_read() -> Error {
    Error::too_large("the payload holds a first chunk only, and nobody reads over 1 MiB in pages").with_hint(
        "Fetch the rest with approval_chunk, or approve it with the scope unread, which says that it was not read",
    )
}

fn shown_pages(host: &Host, payload: &Payload, width: usize, height: usize) -> Result<Vec<Page>> {
    let within =
        |value: usize, range: &std::ops::RangeInclusive<i64>| i64::try_from(value).is_ok_and(|v| range.contains(&v));
    if !within(width, &limits::DISPLAY_COLUMNS) || !within(height, &limits::PAGE_LINES) {
        let (columns, lines) = (limits::DISPLAY_COLUMNS, limits::PAGE_LINES);
        return Err(Error::invalid_args(format!("a page cannot have {width} columns and {height} lines")).with_hint(
            format!(
                "Give {} to {} columns and {} to {} lines",
                columns.start(),
                columns.end(),
                lines.start(),
                lines.end()
            ),
        ));
    }
    let secret = host.database.approvals.secret();
    Ok(proven(secret, &payload.to_json(), [width, height], pages(payload, width, height)))
}

/// Returns the payload that is argument 0.
fn known(arguments: Arguments<'_>, function: &str) -> Result<Payload> {
    match Received::parse(&change_text(arguments, 0, function, "payload")?)? {
        Received::Known(payload) => Ok(*payload),
        Received::Other { .. } => Err(Error::invalid_args("the payload is of a type that redline does not know")
            .with_hint(
                "Give a payload of needs_approval, write_approval, edit_approval, read_approval or approvals_waiting",
            )),
    }
}

/// `approval_pages(payload, width, height)`: everything that a payload shows, page by page, each with a proof.
pub struct ApprovalPages;

const PAGES: Type = Type::List(&Type::Struct(&[
    Field::new("page", Type::BigInt),
    Field::new("pages", Type::BigInt),
    Field::new("text", Type::Varchar),
    Field::new("proof", Type::Varchar),
]));

impl ScalarFunction for ApprovalPages {
    const NAME: &'static str = "approval_pages";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::BigInt, Type::BigInt]];
    const RETURNS: Type = PAGES;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::new(settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let payload = known(arguments, Self::NAME)?;
        if payload.is_large() {
            return Err(too_large_to_read());
        }
        let size = |index| arguments.bigint(index).map_or(0, |given| usize::try_from(given).unwrap_or(0));
        let shown = shown_pages(host, &payload, size(1), size(2))?;
        out.push_list(|elements| {
            for (index, page) in shown.iter().enumerate() {
                let fields = elements.fields_mut();
                fields[0].push_bigint(i64::try_from(index + 1).ok());
                fields[1].push_bigint(i64::try_from(shown.len()).ok());
                fields[2].push_text(Some(&page.text));
                fields[3].push_text(Some(&page.proof.to_string()));
            }
            Ok(())
        })
    }
}

/// `approval_file(payload, key)`: the file that a payload is about as it was when it was proposed, for who may approve.
pub struct ApprovalFile;

impl ScalarFunction for ApprovalFile {
    const NAME: &'static str = "approval_file";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::new(settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        host.approver(arguments.text(1), Self::NAME)?;
        let payload = known(arguments, Self::NAME)?;
        let Some(expected) = payload.base_oid() else {
            out.push_null();
            return Ok(());
        };
        let sandboxes = host.access.sandboxes().ok_or_else(|| Error::fs_denied("no sandbox is configured"))?;
        let bytes = sandboxes.resolve(payload.path())?.read()?;
        if blob_id(&bytes)? != expected {
            return Err(Error::stale("the file has changed since the payload was made")
                .with_hint("Show the payload that waits now: approvals_waiting lists it"));
        }
        out.push_bytes(Some(&bytes));
        Ok(())
    }
}

/// `withdraw(id, key)`: takes back what was approved under an id, and forgets what waits under it.
pub struct Withdraw;

impl ScalarFunction for Withdraw {
    const NAME: &'static str = "withdraw";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Host;

    fn open(settings: Settings) -> Result<Host> {
        Host::new(settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        host.approver(arguments.text(1), Self::NAME)?;
        let id = change_text(arguments, 0, Self::NAME, "id")?;
        host.database.approvals.withdraw(&id, settings::rules(&host.settings))?;
        out.push_text(Some(&id));
        Ok(())
    }
}
