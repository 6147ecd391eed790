//! `pending_approvals(key)`: the operations that wait for a person, the oldest first.

use std::borrow::Cow;

use super::shown::KEY;
use crate::ffi::{Field, Open};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, Name, Param, fields, required};
use crate::functions::surface::{Col, Declaration, Family, Grant, Row, Rows, Table, json, varchar};
use redline_base::error::Result;
use redline_edit::Session;
use redline_edit::payload::Payload;
use redline_query::files::FileTools;

/// The table function.
pub struct PendingApprovals;

const TABLE_KEY: Param<Name> = required(KEY.field.name, KEY.field.doc);

/// A waiting operation and its session.
pub struct Waiting {
    session: Session,
    payload: Payload,
}

impl Row for Waiting {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("approval_id", "The id that `approve` would return", |row, out| {
            out.text(row.payload.approval_id())
        }),
        varchar("description", "The operation, in one line", |row, out| {
            out.text(row.payload.description())
        }),
        json("payload", "The payload to decide on", |row, out| out.json(row.payload.to_json())),
        varchar(
            "session",
            "The session of the call: a name, or `connection 7` for a connection without one",
            |row, out| out.text(shown_session(&row.session)),
        ),
    ];
}

impl Table for PendingApprovals {
    const DECLARATION: Declaration = Declaration {
        name: "pending_approvals",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Lists what waits for a person, the oldest first",
        example: "SELECT description FROM pending_approvals(getvariable('key'))",
    };
    const PARAMETERS: &'static [Field] = fields![TABLE_KEY];
    type Row = Waiting;
    type Bind = String;
    type Scan = Rows<Waiting>;

    fn bind(args: Args<'_>) -> Result<String> {
        Ok(args.get(TABLE_KEY)?.to_owned())
    }

    fn open(key: &String, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        execution.approver(key.as_bytes(), Self::DECLARATION.name)?;
        FileTools::new(execution.caller().clone()).plan_requests()?;
        let waiting = execution.state.approvals.waiting(execution.rules());
        let row = |(session, payload)| Waiting { session, payload };
        Ok(Rows::new(waiting.into_iter().map(row)))
    }
}

/// Returns the name of a session for display; the default one has none, and a name that looks like
/// a connection's is quoted.
pub fn shown_session(session: &Session) -> Cow<'_, str> {
    match session {
        Session::Named(name) if name.starts_with("connection ") || name.starts_with('\'') => {
            format!("'{name}'").into()
        }
        Session::Named(name) => name.into(),
        Session::Connection(number) => format!("connection {number}").into(),
    }
}
