//! `reflog(ref, repo)`: the former values of a reference.

use crate::ffi::Field;
use crate::functions::params::{Args, Name, Param, REPO, fields, required};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, Tabular, bigint, timestamp, varchar,
};
use redline_base::error::Result;
use redline_git::LogEntry;
use redline_query::reflog::{Log, ReflogQuery};

const REFERENCE: Param<Name> =
    required("ref", "A reference, such as HEAD or main; refs/stash for the list of stashes");

/// The columns of a log.
pub struct LogColumns;

impl Row for LogColumns {
    type Of<'a> = &'a LogEntry;

    const OWN: &'static [Col<Self>] = &[
        bigint("position", "Its number from the newest, which is 0: n of ref@{n}", |row| {
            row.position.into()
        }),
        varchar(
            "old_oid",
            "The object id before; NULL if the reference was created",
            |row, out| out.text(row.old.map(|id| id.to_string())),
        ),
        varchar("new_oid", "The object id after; NULL if it was deleted", |row, out| {
            out.text(row.new.map(|id| id.to_string()))
        }),
        varchar("name", "The name of who changed it", |row, out| {
            out.text(row.person.name.as_slice())
        }),
        varchar("email", "The e-mail address of who changed it", |row, out| {
            out.text(row.person.email.as_slice())
        }),
        timestamp("recorded_at", "When it was changed", |row| {
            i64::try_from(row.time).ok()?.checked_mul(1_000_000)
        }),
        varchar("message", "The reason, as git reflog shows it", |row, out| {
            out.text(row.message.as_deref())
        }),
    ];
}

impl Tabular for Log {
    type Row = LogColumns;
}

/// The table function.
pub struct ReflogTable;

impl RepositoryTable for ReflogTable {
    const DECLARATION: Declaration = Declaration {
        name: "reflog",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Lists the former values of a reference, the newest first, as git reflog does; the stashes for refs/stash",
        example: "SELECT position, new_oid, message FROM reflog('HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![REFERENCE, REPO];
    type Query = ReflogQuery;

    fn query(args: Args<'_>) -> Result<ReflogQuery> {
        Ok(ReflogQuery { reference: args.owned(REFERENCE)?, repo: args.owned(REPO)? })
    }
}
