//! `approvals_given([key := …])`: the approvals that are not used up, of this connection, or of all
//! with the host's key.

use std::time::{Duration, SystemTime};

use super::pending_approvals::shown_session;
use super::shown::KEY;
use crate::ffi::Open;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{Args, Maybe, Name, Param, fields, optional};
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use redline_base::error::Result;
use redline_edit::Approval;
use redline_rows::{Col, Field, Row, timestamp, varchar};

/// The table function.
pub struct ApprovalsGiven;

/// A row, with times as tables show them.
pub struct GivenRow {
    given: Approval,
    since: i64,
    until: i64,
}

impl Row for GivenRow {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar("approval_id", "The id that `approve` returned", |row, out| {
            out.text(row.given.id.as_str())
        }),
        varchar("scope", "`once`, `path`, `sandbox`, `session` or `unread`", |row, out| {
            out.text(row.given.scope.name())
        }),
        varchar("tool", "The tool", |row, out| out.text(row.given.tool.name())),
        varchar("path", "The file that was approved first", |row, out| {
            out.text(row.given.path.as_str())
        }),
        varchar("session", "For whom", |row, out| out.text(shown_session(&row.given.session))),
        varchar("given_by", "The approver's name in `redline_approver`", |row, out| {
            out.text(row.given.by.as_str())
        }),
        timestamp("given_at", "When it was approved", |row| Some(row.since)),
        timestamp("expires_at", "Until when it holds", |row| Some(row.until)),
    ];
}

/// Without a key, the approvals of the connection itself.
const OWN_KEY: Param<Maybe<Name>> = optional(KEY.field.name, KEY.field.doc);

impl Table for ApprovalsGiven {
    const DECLARATION: Declaration = Declaration {
        name: "approvals_given",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Lists the approvals that are not used up: of this connection, or with the host's key of all",
        example: "SELECT scope, path, expires_at FROM approvals_given()",
    };
    const NAMED: &'static [Field] = fields![OWN_KEY];
    type Row = GivenRow;
    type Bind = Option<String>;
    type Scan = Rows<GivenRow>;

    fn bind(args: Args<'_>) -> Result<Option<String>> {
        Ok(args.get(OWN_KEY)?.map(str::to_owned))
    }

    fn open(key: &Option<String>, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        let own = match key {
            Some(key) => {
                execution.approver(key.as_bytes(), Self::DECLARATION.name).map(|_| None)?
            }
            None => Some(execution.caller.session.clone()),
        };
        let rules = execution.caller.rules();
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let row = |given: Approval| {
            let since = now.saturating_sub(rules.now.saturating_duration_since(given.since));
            let until = since.saturating_add(rules.ttl);
            GivenRow { since: micros(since), until: micros(until), given }
        };
        let is_shown = |given: &Approval| own.as_ref().is_none_or(|own| *own == given.session);
        let given = execution.caller.state.approvals.given(rules).into_iter();
        Ok(Rows::new(given.filter(is_shown).map(row)))
    }
}
