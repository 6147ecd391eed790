//! `redline_log()`: the operations on files, and changes by others in between.

use crate::ffi::Open;
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::Args;
use crate::functions::surface::{Declaration, Family, Grant, Rows, Table};
use redline_base::error::Result;
use redline_base::form;
use redline_journal::{FileChange, Record, Seen, Version, seen};
use redline_rows::{Col, Row, timestamp, varchar};

/// The table function.
pub struct RedlineLog;

/// A row of the log.
#[derive(Default)]
pub struct LogRow {
    id: Option<String>,
    at: Option<i64>,
    client: Option<String>,
    tool: Option<String>,
    path: Option<String>,
    kind: Option<&'static str>,
    base_oid: Option<String>,
    oid: Option<String>,
    approval_id: Option<String>,
    scope: Option<String>,
    given_by: Option<String>,
    reason: Option<String>,
    outcome: Option<&'static str>,
}

impl LogRow {
    fn change(record: &Record, file: &FileChange) -> Self {
        Self {
            path: Some(file.shown()),
            kind: file.kind.map(|kind| kind.name()),
            base_oid: oid(file.base.as_ref()),
            oid: oid(file.result.as_ref()),
            ..Self::operation(record)
        }
    }

    fn operation(record: &Record) -> Self {
        let approval = record.approval.as_ref();
        Self {
            id: Some(record.id.clone()),
            at: Some(record.at),
            client: Some(record.client.clone()),
            tool: Some(record.tool.clone()),
            approval_id: approval.map(|approval| approval.id.clone()),
            scope: approval.map(|approval| approval.scope.clone()),
            given_by: approval.map(|approval| approval.given_by.clone()),
            reason: record.reason.clone().or_else(|| record.error.clone()),
            outcome: Some(record.outcome.name()),
            ..Self::default()
        }
    }

    fn of(seen: &Seen<'_>) -> Self {
        match seen {
            Seen::Change(record, file) => Self::change(record, file),
            Seen::More(record, count) => Self {
                reason: Some(format!("and {}", form::counted(*count, "more file"))),
                ..Self::operation(record)
            },
            Seen::Foreign(foreign) => Self {
                at: Some(foreign.found_by.at),
                path: Some(foreign.file.shown()),
                kind: Some("foreign"),
                base_oid: oid(foreign.left),
                oid: oid(foreign.file.base.as_ref()),
                ..Self::default()
            },
            Seen::Unreadable(line) => Self {
                kind: Some("unreadable"),
                reason: Some(format!("line {line} of the journal cannot be read")),
                ..Self::default()
            },
        }
    }
}

fn oid(version: Option<&Version>) -> Option<String> {
    version.map(|version| version.oid.clone())
}

impl Row for LogRow {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "id",
            "The operation, for `revert_edit`; NULL for what others wrote",
            |row, out| out.text(row.id.as_deref()),
        ),
        timestamp("recorded_at", "When it began, or when it was found", |row| row.at),
        varchar("client", "The session, by a name that all of its calls have", |row, out| {
            out.text(row.client.as_deref())
        }),
        varchar("tool", "The tool", |row, out| out.text(row.tool.as_deref())),
        varchar(
            "path",
            "The file, as `sandbox/relative/path`; NULL in the row that counts further files",
            |row, out| out.text(row.path.as_deref()),
        ),
        varchar(
            "kind",
            "`create`, `update`, `delete`, `move` or `mode`; `foreign`: others wrote the file before the next operation on \
             it; `unreadable`: a line of the journal is torn",
            |row, out| out.text(row.kind),
        ),
        varchar("base_oid", "The git blob id before, NULL where there was no file", |row, out| {
            out.text(row.base_oid.as_deref())
        }),
        varchar("oid", "The git blob id afterwards, NULL where there is no file", |row, out| {
            out.text(row.oid.as_deref())
        }),
        varchar("approval_id", "The yes that allowed it", |row, out| {
            out.text(row.approval_id.as_deref())
        }),
        varchar("scope", "The scope of that approval", |row, out| out.text(row.scope.as_deref())),
        varchar("given_by", "The approver", |row, out| out.text(row.given_by.as_deref())),
        varchar("reason", "Why it was done, or the code of what went wrong", |row, out| {
            out.text(row.reason.as_deref())
        }),
        varchar(
            "outcome",
            "`done`, `declined` or `failed`; `begun`: the process ended before it could say",
            |row, out| out.text(row.outcome),
        ),
    ];
}

impl Table for RedlineLog {
    const DECLARATION: Declaration = Declaration {
        name: "redline_log",
        family: Family::Files,
        grant: Grant::Tools(&["edit_file", "write_file"]),
        description: "Lists the operations on files, done, declined or failed, and changes by others in between",
        example: "SELECT tool, path, kind, outcome FROM redline_log()",
    };
    type Row = LogRow;
    type Bind = ();
    type Scan = Rows<LogRow>;

    fn bind(_: Args<'_>) -> Result<()> {
        Ok(())
    }

    fn open((): &(), open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::new(open.settings)?;
        let entries = execution.caller.with_journal(|journal| journal.entries())?;
        let rows: Vec<LogRow> = seen(&entries)
            .iter()
            .filter(|seen| match seen {
                Seen::Change(_, file) => execution.caller.may_see(file),
                Seen::More(record, _) => {
                    record.files.iter().any(|file| execution.caller.may_see(file))
                }
                Seen::Foreign(foreign) => execution.caller.may_see(foreign.file),
                Seen::Unreadable(_) => true,
            })
            .map(LogRow::of)
            .collect();
        Ok(Rows::new(rows))
    }
}
