//! `refs(repo)` and `refs_list(repo)`: the references of a repository.

use crate::ffi::Field;
use crate::functions::params::{Args, REPO, fields};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, bigint, boolean, timestamp, varchar,
};
use redline_base::error::Result;
use redline_git::Reference;
use redline_query::Need;
use redline_query::refs::{RefsQuery, kind};

impl Row for Vec<Reference> {
    type Of<'a> = &'a Reference;

    const OWN: &'static [Col<Self>] = &[
        varchar("name", "The full name, such as refs/heads/main, or HEAD", |row, out| {
            out.text(row.named.name.as_slice())
        }),
        varchar::<Self>(
            "short_name",
            "The name as short as it is unambiguous, such as main",
            |row, out| out.text(row.short.as_slice()),
        )
        .needing(&[Need::Short]),
        varchar("kind", "head, branch, remote, tag, note, stash or other", |row, out| {
            out.text(kind(&row.named.name))
        }),
        varchar(
            "object_id",
            "The id of the object it leads to; NULL for a damaged reference",
            |row, out| out.text(row.named.object.map(|id| id.to_string())),
        ),
        varchar::<Self>(
            "commit_id",
            "The id of the commit that it points to; NULL if there is none",
            |row, out| out.text(row.commit.map(|id| id.to_string())),
        )
        .needing(&[Need::Commit]),
        varchar("symbolic_target", "The reference that a symbolic one leads to", |row, out| {
            out.text(row.named.target.as_deref())
        }),
        boolean(
            "is_head",
            "Whether it is the branch that is checked out, or a detached HEAD",
            |row| Some(row.named.is_head),
        ),
        varchar::<Self>(
            "upstream",
            "The full name of the branch that a branch is merged with",
            |row, out| out.text(row.upstream.as_deref()),
        )
        .needing(&[Need::Upstream]),
        bigint::<Self>(
            "ahead",
            "Commits that only the branch has; NULL without an upstream that exists",
            |row| row.distance.map(|(ahead, _)| ahead).into(),
        )
        .needing(&[Need::Upstream, Need::Distance]),
        bigint::<Self>("behind", "Commits that only its upstream has", |row| {
            row.distance.map(|(_, behind)| behind).into()
        })
        .needing(&[Need::Upstream, Need::Distance]),
        varchar::<Self>("tagger_name", "The tagger of an annotated tag", |row, out| {
            let tagger = row.tag.as_ref().and_then(|tag| tag.tagger.as_ref());
            out.text(tagger.map(|tagger| tagger.name.as_slice()))
        })
        .needing(&[Need::Message]),
        varchar::<Self>("tagger_email", "The tagger's e-mail address", |row, out| {
            let tagger = row.tag.as_ref().and_then(|tag| tag.tagger.as_ref());
            out.text(tagger.map(|tagger| tagger.email.as_slice()))
        })
        .needing(&[Need::Message]),
        timestamp::<Self>("tagged_at", "When the tag was made", |row| {
            row.tag.as_ref().and_then(|tag| tag.date)
        })
        .needing(&[Need::Message]),
        timestamp::<Self>("committed_at", "The committer date of that commit", |row| {
            row.committed_at
        })
        .needing(&[Need::Committed]),
        varchar::<Self>(
            "subject",
            "The subject of the tag or the commit it leads to",
            |row, out| out.text(row.subject.as_deref()),
        )
        .needing(&[Need::Message]),
    ];
}

/// The table function.
pub struct RefsTable;

impl RepositoryTable for RefsTable {
    const DECLARATION: Declaration = Declaration {
        name: "refs",
        family: Family::Git,
        grant: Grant::Tools(&["GitRefs"]),
        description: "Lists HEAD and the references of a repository, ordered by name",
        example: "SELECT short_name, kind, commit_id, subject FROM refs('.')",
    };
    const PARAMETERS: &'static [Field] = fields![REPO];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str = "SELECT len(refs_list('.'))";
    type Query = RefsQuery;

    fn query(args: Args<'_>) -> Result<RefsQuery> {
        Ok(RefsQuery { repo: args.owned(REPO)?, contains: None })
    }
}
