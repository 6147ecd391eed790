//! `pending_approvals(key)`: what waits for a person, the oldest first.

use super::shown::KEY;
use crate::edit::Session;
use crate::edit::payload::Payload;
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context;
use crate::functions::context::settings;
use crate::functions::files::file_tools::FileTools;
use crate::functions::params::arguments::required_text;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};

/// The table function.
pub struct PendingApprovals;

impl Declared for PendingApprovals {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "What waits for a person, the oldest first",
        example: "SELECT description FROM pending_approvals(getvariable('key'))",
    };
}

/// What waits, and for whom.
pub struct Waiting {
    session: Session,
    payload: Payload,
}

impl Row for Waiting {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("approval_id", Type::Varchar, "The id that approve returns", |row, out| {
            out.push_text(Some(row.payload.approval_id()));
        }),
        col("description", Type::Varchar, "What would be done, in one line", |row, out| {
            out.push_text(Some(row.payload.description()));
        }),
        col("payload", Type::Json, "What a person decides on", |row, out| {
            out.push_text(Some(&row.payload.to_json()));
        }),
        col("session", Type::Varchar, "Whose call it is", |row, out| {
            push_session(out, &row.session)
        }),
    ];
}

impl TableFunction for PendingApprovals {
    const NAME: &'static str = "pending_approvals";
    const PARAMETERS: &'static [Field] = &[KEY];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = Waiting::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = String;
    type Scan = Rows<Waiting>;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<String> {
        required_text(&arguments[0], Self::NAME, "key")
    }

    fn open(key: &String, open: Open<'_>) -> Result<Self::Scan> {
        let mut tools = FileTools::open::<Self>(open.settings)?;
        tools.execution().approver(Some(key.as_bytes()), Self::NAME)?;
        tools.plan_requests()?;
        let execution = tools.execution();
        let waiting = execution.database.approvals.waiting(settings::rules(&execution.settings));
        Ok(Rows::new(
            waiting.into_iter().map(|(session, payload)| Waiting { session, payload }),
            open.projection,
        ))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}

/// Appends the name of a session; a connection has none, and a name that looks like one is quoted.
pub fn push_session(column: &mut Column, session: &Session) {
    match session {
        Session::Named(name) if name.starts_with("connection ") || name.starts_with('\'') => {
            column.push_text(Some(&format!("'{name}'")));
        }
        Session::Named(name) => column.push_text(Some(name)),
        Session::Connection(number) => column.push_text(Some(&format!("connection {number}"))),
    }
}
