//! `pending_approvals(key [, id := …])`: the operations that wait for a person, the oldest first.

use std::borrow::Cow;
use std::sync::Arc;

use super::shown::KEY;
use crate::ffi::Open;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, Maybe, Name, Param, fields, optional, required};
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use redline_base::budget::Gather;
use redline_base::error::Result;
use redline_edit::{Proposal, Session};
use redline_query::files::FileTools;
use redline_rows::{Col, Field, Row, json, varchar};

/// The table function.
pub struct PendingApprovals;

const TABLE_KEY: Param<Name> = required(KEY.field.name, KEY.field.doc);

const ID: Param<Maybe<Name>> = optional("id", "Only the operation with this approval_id");

/// The arguments.
pub struct Wanted {
    key: String,
    id: Option<String>,
}

/// A waiting operation and its session.
pub struct Waiting {
    session: Session,
    proposal: Arc<Proposal>,
}

impl Row for Waiting {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("approval_id", "The id that `approve` would return", |row, out| {
            out.text(row.proposal.payload.approval_id())
        }),
        varchar("description", "The operation, in one line", |row, out| {
            out.text(row.proposal.payload.description())
        }),
        json("payload", "The payload to decide on", |row, out| {
            out.json(row.proposal.payload.to_json())
        }),
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
    const NAMED: &'static [Field] = fields![ID];
    type Bind = Wanted;
    type Scan = Rows<Waiting>;

    fn bind(args: Args<'_>) -> Result<Wanted> {
        let id = args.get(ID)?.map(str::to_owned);
        Ok(Wanted { key: args.get(TABLE_KEY)?.to_owned(), id })
    }

    fn open(asked: &Wanted, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        execution.approver(asked.key.as_bytes(), Self::DECLARATION.name)?;
        FileTools::new(execution.caller.clone()).plan_requests()?;
        let waiting = execution.caller.state.approvals.waiting(execution.caller.rules());
        let is_wanted = |proposal: &Proposal| {
            asked.id.as_ref().is_none_or(|id| proposal.payload.approval_id() == id)
        };
        let row = |(session, proposal)| Waiting { session, proposal };
        Ok(Rows::new(
            waiting.into_iter().filter(move |(_, of)| is_wanted(of)).map(row).gather::<Vec<_>>(),
        ))
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
