//! Payloads that a host gives back, and their pages.

use crate::edit::payload::{Payload, Received};
use crate::edit::{Page, proven};
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Field, Type};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::arguments::change_text;
use crate::limits;
use crate::render::pages;

/// The payload that a host gives back.
pub const PAYLOAD: Field = Field::new(
    "payload",
    Type::Varchar,
    "A payload of needs_approval, pending_approvals or …_approval",
);
/// The host's key.
pub const KEY: Field =
    Field::new("key", Type::Varchar, "The secret whose SHA-256 is in redline_approver");

/// Returns the error for a payload that has more than a page can show.
pub fn too_large_to_read() -> Error {
    Error::too_large("the payload holds only its first chunk, since more than 1 MiB is not shown in pages").with_hint(
        "Fetch the rest with approval_chunk, or approve it with the scope unread, which records that it was not read",
    )
}

/// Returns what a payload shows, page by page, each with its proof.
pub fn shown_pages(
    execution: &ExecutionContext,
    payload: &Payload,
    width: usize,
    height: usize,
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
    let secret = execution.database.approvals.secret();
    Ok(proven(secret, &payload.to_json(), [width, height], pages(payload, width, height)))
}

/// Returns the payload that is argument 0.
pub fn known(arguments: Arguments<'_>, function: &str) -> Result<Payload> {
    match Received::parse(&change_text(arguments, 0, function, "payload")?)? {
        Received::Known(payload) => Ok(*payload),
        Received::Other { .. } => Err(Error::invalid_args("the payload is of a type that redline does not know")
            .with_hint(
                "Give a payload of needs_approval, write_approval, edit_approval, read_approval or pending_approvals",
            )),
    }
}
