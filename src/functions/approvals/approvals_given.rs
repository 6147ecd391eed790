//! `approvals_given([key := …])`: what was approved and not used up: of this connection, or with the host's key of all.

use std::time::SystemTime;

use super::pending_approvals::push_session;
use super::shown::KEY;
use crate::edit::Given;
use crate::error::Result;
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::context::settings;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};

/// The table function.
pub struct ApprovalsGiven;

impl Declared for ApprovalsGiven {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "What was approved and not used up: of this connection, or with the host's key of all",
        example: "SELECT scope, path, expires_at FROM approvals_given()",
    };
}

/// A row, with the moments of the clock that tables have.
pub struct GivenRow {
    given: Given,
    since: i64,
    until: i64,
}

impl Row for GivenRow {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col("approval_id", Type::Varchar, "The id that approve returned", |row, out| {
            out.push_text(Some(&row.given.id));
        }),
        col("scope", Type::Varchar, "once, path, sandbox, session or unread", |row, out| {
            out.push_text(Some(row.given.scope.name()));
        }),
        col("tool", Type::Varchar, "The tool", |row, out| {
            out.push_text(Some(row.given.tool.name()))
        }),
        col("path", Type::Varchar, "The file that was approved first", |row, out| {
            out.push_text(Some(&row.given.path))
        }),
        col("session", Type::Varchar, "For whom", |row, out| push_session(out, &row.given.session)),
        col("given_by", Type::Varchar, "The approver's name", |row, out| {
            out.push_text(Some(&row.given.by))
        }),
        col("given_at", Type::Timestamp, "When it was approved", |row, out| {
            out.push_bigint(Some(row.since))
        }),
        col("expires_at", Type::Timestamp, "Until when it holds", |row, out| {
            out.push_bigint(Some(row.until))
        }),
    ];
}

impl TableFunction for ApprovalsGiven {
    const NAME: &'static str = "approvals_given";
    const PARAMETERS: &'static [Field] = &[];
    const NAMED: &'static [Field] = &[Field::optional(KEY.name, KEY.kind, "NULL", KEY.doc)];
    const COLUMNS: &'static [Field] = GivenRow::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Option<String>;
    type Scan = Rows<GivenRow>;

    fn bind(_: &[Value], named: &[Value]) -> Result<Option<String>> {
        Ok(named[0].as_text().map(str::to_owned))
    }

    fn open(key: &Option<String>, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        let own = match key {
            Some(key) => execution.approver(Some(key.as_bytes()), Self::NAME).map(|_| None)?,
            None => Some(execution.session.clone()),
        };
        let rules = settings::rules(&execution.settings);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let rows = execution.database.approvals.given(rules).into_iter();
        let rows = rows.filter(|given| own.as_ref().is_none_or(|own| *own == given.session)).map(
            |given| {
                let since = now.saturating_sub(rules.now.saturating_duration_since(given.since));
                let micros = |moment: std::time::Duration| {
                    i64::try_from(moment.as_micros()).unwrap_or(i64::MAX)
                };
                GivenRow {
                    since: micros(since),
                    until: micros(since.saturating_add(rules.ttl)),
                    given,
                }
            },
        );
        Ok(Rows::new(rows, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch);
        Ok(())
    }
}
