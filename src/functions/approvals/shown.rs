//! Payloads that a host passes back, and their pages.

use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, Asked, Given, Kind, Maybe, Param, Text, required};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_edit::payload::{Payload, Received};
use redline_edit::{Page, proven};
use redline_render::pages;
use redline_rows::Type;

/// The payload that a host passes back.
pub const PAYLOAD: Param<Maybe<Text>> =
    required("payload", "A payload of needs_approval, pending_approvals or …_approval");
/// The host's key.
pub const KEY: Param<Key> = required("key", "The secret whose SHA-256 is in redline_approver");

/// The secret of an approver; NULL belongs to nobody.
pub struct Key;

impl Kind for Key {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = &'a [u8];

    fn read<'a>(given: Given<'a>, _: Asked<'_>) -> Result<&'a [u8]> {
        Ok(given.text().unwrap_or_default())
    }

    fn read_null<'a>(_: Asked<'_>) -> Result<&'a [u8]> {
        Ok(&[])
    }
}

/// Returns the name of the approver whose key is the argument `key`.
///
/// # Errors
/// `permission_denied`.
pub fn approver_of(opened: &Opened, args: Args<'_>) -> Result<String> {
    opened.execution.approver(args.get(KEY)?, args.function())
}

/// Returns the error for a payload that is longer than the pages.
pub fn too_large_to_read() -> Error {
    Error::too_large("the payload holds only its first chunk, since more than 1 MiB is not shown in pages").with_hint(
        "Fetch the rest with approval_chunk, or approve it with the scope unread, which records that it was not read",
    )
}

/// Returns a payload page by page, each page with a proof.
pub fn shown_pages(
    execution: &ExecutionContext,
    payload: &Payload,
    [width, height]: [usize; 2],
    is_framed: bool,
) -> Result<Vec<Page>> {
    let within = |value: usize, range: &std::ops::RangeInclusive<i64>| {
        i64::try_from(value).is_ok_and(|v| range.contains(&v))
    };
    if !within(width, &limits::DISPLAY_COLUMNS) || !within(height, &limits::PAGE_LINES) {
        let (columns, lines) = (limits::DISPLAY_COLUMNS, limits::PAGE_LINES);
        return Err(Error::invalid_args(format!(
            "a page cannot have {width} columns and {height} lines"
        ))
        .with_hint(format!(
            "Give {} to {} columns and {} to {} lines",
            columns.start(),
            columns.end(),
            lines.start(),
            lines.end()
        )));
    }
    let secret = execution.caller.state.approvals.secret();
    let pages = pages(payload, width, height, is_framed);
    Ok(proven(secret, &payload.to_json(), ([width, height], is_framed), pages))
}

/// Returns the argument `payload`, which must be of a type that redline makes.
pub fn known(given: &str) -> Result<Payload> {
    match Received::parse(given)? {
        Received::Known(payload) => Ok(*payload),
        Received::Other { .. } => Err(Error::invalid_args("the payload is of a type that redline does not know")
            .with_hint(
                "Give a payload of needs_approval, write_approval, edit_approval, read_approval or pending_approvals",
            )),
    }
}
