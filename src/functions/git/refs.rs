//! `refs(repo)` and `refs_list(repo)`: the references of a repository.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, col, needing,
};
use crate::git::Reference;
use crate::query::needs::{COMMIT, DISTANCE, MESSAGE, SHORT, UPSTREAM};
use crate::query::refs::{References, RefsQuery, kind};

impl Row for Reference {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col(
            "name",
            Type::Varchar,
            "The full name, such as refs/heads/main, or HEAD",
            |row, out| {
                out.push_bytes(Some(&row.named.name));
            },
        ),
        needing(
            SHORT,
            col(
                "short_name",
                Type::Varchar,
                "The name as short as it is unambiguous, such as main",
                |row, out| out.push_bytes(Some(&row.short)),
            ),
        ),
        col(
            "kind",
            Type::Varchar,
            "head, branch, remote, tag, note, stash or other",
            |row, out| out.push_text(Some(kind(&row.named.name))),
        ),
        col(
            "object_id",
            Type::Varchar,
            "The id of the object it leads to; NULL for a damaged reference",
            |row, out| out.push_text(row.named.object.map(|id| id.to_string()).as_deref()),
        ),
        needing(
            COMMIT,
            col(
                "commit_id",
                Type::Varchar,
                "The id of the commit behind it; NULL where it leads to none",
                |row, out| out.push_text(row.commit.map(|id| id.to_string()).as_deref()),
            ),
        ),
        col(
            "symbolic_target",
            Type::Varchar,
            "The reference that a symbolic one leads to",
            |row, out| out.push_bytes(row.named.target.as_deref()),
        ),
        col(
            "is_head",
            Type::Boolean,
            "Whether it is the branch that is checked out, or a detached HEAD",
            |row, out| out.push_boolean(Some(row.named.is_head)),
        ),
        needing(
            UPSTREAM,
            col(
                "upstream",
                Type::Varchar,
                "The full name of the branch that a branch is merged with",
                |row, out| out.push_bytes(row.upstream.as_deref()),
            ),
        ),
        needing(
            UPSTREAM | DISTANCE,
            col(
                "ahead",
                Type::BigInt,
                "Commits that only the branch has; NULL without an upstream that exists",
                |row, out| out.push_bigint(count(row.distance.map(|(ahead, _)| ahead))),
            ),
        ),
        needing(
            UPSTREAM | DISTANCE,
            col("behind", Type::BigInt, "Commits that only its upstream has", |row, out| {
                out.push_bigint(count(row.distance.map(|(_, behind)| behind)));
            }),
        ),
        needing(
            MESSAGE,
            col("tagger_name", Type::Varchar, "Who made an annotated tag", |row, out| {
                let tagger = row.tag.as_ref().and_then(|tag| tag.tagger.as_ref());
                out.push_bytes(tagger.map(|tagger| tagger.name.as_slice()));
            }),
        ),
        needing(
            MESSAGE,
            col("tagger_email", Type::Varchar, "The tagger's e-mail address", |row, out| {
                let tagger = row.tag.as_ref().and_then(|tag| tag.tagger.as_ref());
                out.push_bytes(tagger.map(|tagger| tagger.email.as_slice()));
            }),
        ),
        needing(
            MESSAGE,
            col("tagged_at", Type::Timestamp, "When the tag was made", |row, out| {
                out.push_bigint(row.tag.as_ref().and_then(|tag| tag.date));
            }),
        ),
        needing(
            MESSAGE,
            col(
                "subject",
                Type::Varchar,
                "The subject of the tag or the commit it leads to",
                |row, out| out.push_bytes(row.subject.as_deref()),
            ),
        ),
    ];
}

fn count(commits: Option<u64>) -> Option<i64> {
    commits.and_then(|commits| i64::try_from(commits).ok())
}

impl Tabular for References {
    type Row = Reference;
}

/// The table function.
pub struct RefsTable;

impl Declared for RefsTable {
    const DECLARATION: Declaration = Declaration {
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "HEAD and the references of a repository, in the order of their names",
        example: "SELECT short_name, kind, commit_id, subject FROM refs('.')",
    };
}

impl TableFunction for RefsTable {
    const NAME: &'static str = "refs";
    const PARAMETERS: &'static [Field] = &[comparison::REPO];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = Reference::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = RefsQuery;
    type Scan = Stream<References>;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<RefsQuery> {
        Ok(RefsQuery { repo: required_text(&arguments[0], Self::NAME, "repo")? })
    }

    fn open(query: &RefsQuery, open: Open<'_>) -> Result<Self::Scan> {
        Ok(Stream::open::<Self>(query, open)?.eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for RefsTable {
    const LIST_NAME: &'static str = "refs_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of refs as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT len(refs_list('.'))";
    type Element = Numbered<Reference>;

    fn list(query: &RefsQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
