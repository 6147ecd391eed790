//! `approvals_waiting(key)` and `approvals_given([key := …])`: what waits for a person, and what was allowed.

use std::time::SystemTime;

use crate::edit::payload::Payload;
use crate::edit::{Given, Session};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::host::{self, Host};
use crate::functions::context::settings;
use crate::functions::params::arguments::required_text;

/// `approvals_waiting(key)`: what waits for a person, the oldest first.
pub struct ApprovalsWaiting;

/// A running scan: the rows that are left, and the projection.
pub struct Scan<T> {
    left: std::vec::IntoIter<T>,
    projection: Vec<usize>,
}

impl TableFunction for ApprovalsWaiting {
    const NAME: &'static str = "approvals_waiting";
    const PARAMETERS: &'static [Field] = &[Field::new("key", Type::Varchar)];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = &[
        Field::new("approval_id", Type::Varchar),
        Field::new("description", Type::Varchar),
        Field::new("payload", Type::Json),
        Field::new("session", Type::Varchar),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = String;
    type Scan = Scan<(Session, Payload)>;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<String> {
        required_text(&arguments[0], Self::NAME, "key")
    }

    fn open(key: &String, open: Open<'_>) -> Result<Self::Scan> {
        let host = Host::new(open.settings)?;
        host.approver(Some(key.as_bytes()), Self::NAME)?;
        let waiting = host.database.approvals.waiting(settings::rules(&host.settings));
        Ok(Scan { left: waiting.into_iter(), projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some((session, payload)) = scan.left.next()
        {
            for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                match Self::COLUMNS[index].name {
                    "approval_id" => column.push_text(Some(payload.approval_id())),
                    "description" => column.push_text(Some(payload.description())),
                    "payload" => column.push_text(Some(&payload.to_json())),
                    "session" => push_session(column, &session),
                    other => unreachable!("no column {other}"),
                }
            }
        }
        Ok(())
    }
}

/// `approvals_given([key := …])`: what was approved and not used up: of this connection, or with the host's key of all.
pub struct ApprovalsGiven;

/// A row, with the moments of the clock that tables have.
pub struct Row {
    given: Given,
    since: i64,
    until: i64,
}

impl TableFunction for ApprovalsGiven {
    const NAME: &'static str = "approvals_given";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[Field::new("key", Type::Varchar)];
    const COLUMNS: &'static [Field] = &[
        Field::new("approval_id", Type::Varchar),
        Field::new("scope", Type::Varchar),
        Field::new("tool", Type::Varchar),
        Field::new("path", Type::Varchar),
        Field::new("session", Type::Varchar),
        Field::new("given_by", Type::Varchar),
        Field::new("given_at", Type::Timestamp),
        Field::new("expires_at", Type::Timestamp),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Option<String>;
    type Scan = Scan<Row>;

    fn bind(_: &[Value], named: &[Value]) -> Result<Option<String>> {
        Ok(named[0].as_text().map(str::to_owned))
    }

    fn open(key: &Option<String>, open: Open<'_>) -> Result<Self::Scan> {
        let host = Host::new(open.settings)?;
        let own = match key {
            Some(key) => host.approver(Some(key.as_bytes()), Self::NAME).map(|_| None)?,
            None => Some(host.own_session()),
        };
        let rules = settings::rules(&host.settings);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let rows = host.database.approvals.given(rules).into_iter();
        let rows = rows.filter(|given| own.as_ref().is_none_or(|own| *own == given.session)).map(|given| {
            let since = now.saturating_sub(rules.now.saturating_duration_since(given.since));
            let micros = |moment: std::time::Duration| i64::try_from(moment.as_micros()).unwrap_or(i64::MAX);
            Row { since: micros(since), until: micros(since.saturating_add(rules.ttl)), given }
        });
        Ok(Scan { left: rows.collect::<Vec<_>>().into_iter(), projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        while !batch.is_full()
            && let Some(Row { given, since, until }) = scan.left.next()
        {
            for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                match Self::COLUMNS[index].name {
                    "approval_id" => column.push_text(Some(&given.id)),
                    "scope" => column.push_text(Some(given.scope.name())),
                    "tool" => column.push_text(Some(given.tool.name())),
                    "path" => column.push_text(Some(&given.path)),
                    "session" => push_session(column, &given.session),
                    "given_by" => column.push_text(Some(&given.by)),
                    "given_at" => column.push_bigint(Some(since)),
                    "expires_at" => column.push_bigint(Some(until)),
                    other => unreachable!("no column {other}"),
                }
            }
        }
        Ok(())
    }
}

/// Appends the name of a session; a connection has none.
fn push_session(column: &mut Column, session: &Session) {
    match session {
        Session::Named(name) => column.push_text(Some(name)),
        Session::Connection(number) => column.push_text(Some(&format!("connection {number}"))),
    }
}
