//! `refs(repo)` and `refs_list(repo)`: the references of a repository.

use std::sync::Arc;

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::budget::Permits;
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{NamedReference, Reference, ReferenceDetails, ReferenceReader, reference_names};
use crate::limits;
use crate::pipeline::{Ordered, Source, Weigh, Window};

/// What a column needs: the name as short as it is unambiguous.
const SHORT: u8 = 1;
/// What a column needs: what is behind tags.
const COMMIT: u8 = 2;
/// What a column needs: the object's message.
const MESSAGE: u8 = 4;
/// What a column needs: the branch that a branch is merged with.
const UPSTREAM: u8 = 8;
/// What a column needs: how far both are apart.
const DISTANCE: u8 = 16;

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

/// Returns what a reference is by its name.
pub fn kind(name: &[u8]) -> &'static str {
    const KINDS: [(&[u8], &str); 4] = [
        (b"refs/heads/", "branch"),
        (b"refs/remotes/", "remote"),
        (b"refs/tags/", "tag"),
        (b"refs/notes/", "note"),
    ];
    match name {
        b"HEAD" => "head",
        b"refs/stash" => "stash",
        _ => KINDS
            .iter()
            .find(|(prefix, _)| name.starts_with(prefix))
            .map_or("other", |(_, kind)| kind),
    }
}

/// The rows of some references.
pub struct References(Vec<Reference>);

impl Weigh for References {
    fn bytes(&self) -> usize {
        self.0.iter().map(Reference::bytes).sum()
    }
}

impl RowGroup for References {
    type Row = Reference;

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize) -> &Reference {
        &self.0[index]
    }
}

/// The table function.
pub struct RefsTable;

impl Declared for RefsTable {
    const DECLARATION: Declaration = Declaration {
        name: "refs",
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
    type Bind = String;
    type Scan = Stream<References>;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<String> {
        required_text(&arguments[0], Self::NAME, "repo")
    }

    fn open(repo: &String, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs = Reference::COLUMNS.needs(open.projection);
        let rows = execution.read(|| start(repo, &execution, needs))?;
        Ok(Stream::new(rows, open.projection).eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Starts the reading of all references.
fn start(repo: &str, execution: &ExecutionContext, needs: u8) -> Result<Ordered<References>> {
    let budget = execution.budget.part();
    let repository = execution.repository(repo)?.with_budget(Arc::clone(&budget));
    let details = ReferenceDetails {
        short: needs & SHORT != 0,
        commit: needs & COMMIT != 0,
        message: needs & MESSAGE != 0,
        upstream: needs & UPSTREAM != 0,
        distance: needs & DISTANCE != 0,
    };
    let names = reference_names(&repository)?;
    let chunk = limits::JOB_REFERENCES;
    let jobs: Vec<Result<Vec<NamedReference>>> =
        names.chunks(chunk).map(|names| Ok(names.to_vec())).collect();
    let packed = repository.packed_references()?;
    let permits = Permits::take(if needs == 0 { 1 } else { execution.threads() });
    let worker = || {
        let (repository, packed) = (repository.clone(), Arc::clone(&packed));
        move |names: Vec<NamedReference>| {
            let reader = ReferenceReader::new(&repository, details, Arc::clone(&packed));
            let read = names.into_iter().map(|named| reader.read(named));
            Ok::<_, Error>(References(read.collect::<Result<_>>()?))
        }
    };
    let workers = (0..permits.count()).map(|_| worker()).collect();
    let window = Window { jobs: limits::WINDOW_HISTORY_JOBS, bytes: limits::WINDOW_BYTES };
    Ordered::start(Source::new(jobs.into_iter()), workers, window, budget, permits)
}

impl Listed for RefsTable {
    const LIST_NAME: &'static str = "refs_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of refs as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT len(refs_list('.'))";
    type Element = Numbered<Reference>;

    fn list(repo: &String, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let all = SHORT | COMMIT | MESSAGE | UPSTREAM | DISTANCE;
        push_rows(execution.read(|| start(repo, execution, all))?, out)
    }
}
