//! The former values of a reference.

use crate::Question;
use crate::machinery::rows::{Query, RowGroup, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::REPO;
use redline_base::budget::Weigh;
use redline_base::error::Result;
use redline_git::{LogEntry, Reflog, reflog};
use redline_rows::params::{Args, Name, Param, required};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Needs, Row, bigint, fields, timestamp, varchar,
};

/// A query for the log of a reference.
pub struct ReflogQuery {
    /// The reference.
    pub reference: String,
    /// The repository.
    pub repo: String,
}

/// A log.
pub struct Log(Reflog);

impl Weigh for Log {
    fn bytes(&self) -> usize {
        self.0.entries.iter().map(Weigh::bytes).sum()
    }
}

impl RowGroup for Log {
    type Of<'a> = &'a LogEntry;

    fn rows(&self) -> usize {
        self.0.entries.len()
    }

    fn row(&self, index: usize) -> &LogEntry {
        &self.0.entries[index]
    }
}

impl Query for ReflogQuery {
    type Group = Log;
    type Row = LogColumns;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Log>> {
        context.read(|| {
            let run = Run::open(context, &self.repo, 1)?;
            let log = Log(reflog(&run.repository, &self.reference)?);
            Ok(Rows::Once(Some(log)))
        })
    }
}

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

const REFERENCE: Param<Name> =
    required("ref", "A reference, such as HEAD or main; refs/stash for the list of stashes");

impl Question for ReflogQuery {
    const DECLARATION: Declaration = Declaration {
        name: "reflog",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Lists the former values of a reference, the newest first, as git reflog does; the stashes for refs/stash",
        example: "SELECT position, new_oid, message FROM reflog('HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = fields![REFERENCE, REPO];
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self { reference: args.owned(REFERENCE)?, repo: args.owned(REPO)? })
    }
}
