//! The references of a repository.

use std::sync::Arc;

use crate::Question;
use crate::machinery::rows::{Query, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::REPO;
use redline_base::budget::{Gather, TryGather};
use redline_base::error::Result;
use redline_base::limits;
use redline_base::pipeline::{Source, Window};
use redline_git::{
    ListedNames, NamedReference, Reference, ReferenceDetails, ReferenceReader, reference_names,
    references_containing,
};
use redline_rows::params::{Args, Name, Param, required};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, boolean, fields, timestamp,
    varchar,
};
use redline_text::CancelToken;

/// A query for references of a repository.
pub struct RefsQuery {
    /// The repository.
    pub repo: String,
    /// A commit that their histories must hold, if any.
    pub contains: Option<String>,
}

impl Query for RefsQuery {
    type Group = Vec<Reference>;
    type Row = ReferenceColumns;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Vec<Reference>>> {
        context.read(|| {
            let run =
                Run::open(context, &self.repo, if needs == Needs::NONE { 1 } else { usize::MAX })?;
            let (names, is_all) = match &self.contains {
                Some(commit) => (references_containing(&run.repository, commit)?, false),
                None => (reference_names(&run.repository)?, true),
            };
            let list = || ListedNames::new(&run.repository, &names).map(Arc::new);
            let listed = (is_all && needs.has(Need::Short)).then(list).transpose()?;
            let mut names = names.into_iter();
            let jobs = std::iter::from_fn(move || {
                let job: Vec<_> = names.by_ref().take(limits::JOB_REFERENCES).gather();
                (!job.is_empty()).then_some(Ok(job))
            });
            let (details, packed) = (details(needs), run.repository.packed_references()?);
            let window = Window::of(limits::WINDOW_HISTORY_JOBS);
            run.start(Source::new(jobs), window, |run| {
                let (repository, packed) = (run.repository.clone(), Arc::clone(&packed));
                let listed = listed.clone();
                Ok(move |names: Vec<NamedReference>, _: &CancelToken<'_>| {
                    let reader = ReferenceReader::new(&repository, details, Arc::clone(&packed))
                        .with_listed(listed.clone());
                    names.into_iter().map(|named| reader.read(named)).try_gather()
                })
            })
            .map(Rows::Workers)
        })
    }
}

fn details(needs: Needs) -> ReferenceDetails {
    ReferenceDetails {
        short: needs.has(Need::Short),
        commit: needs.has(Need::Commit),
        committed: needs.has(Need::Committed),
        message: needs.has(Need::Message),
        upstream: needs.has(Need::Upstream),
        distance: needs.has(Need::Distance),
    }
}

/// Returns the kind of a reference, by its name.
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

/// The columns of a reference.
pub struct ReferenceColumns;

impl Row for ReferenceColumns {
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

impl Question for RefsQuery {
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
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self { repo: args.owned(REPO)?, contains: None })
    }
}

const REVISION: Param<Name> = required("rev", "A revision that names a commit");

/// The table function.
pub struct RefsContaining;

impl Question for RefsContaining {
    const DECLARATION: Declaration = Declaration {
        name: "refs_containing",
        description: "Lists the references whose history holds a commit, as git for-each-ref --contains",
        example: "SELECT short_name, kind FROM refs_containing('HEAD~1', '.')",
        ..RefsQuery::DECLARATION
    };
    const PARAMETERS: &'static [Field] = fields![REVISION, REPO];
    const IS_EAGER: bool = true;
    type Query = RefsQuery;

    fn query(args: Args<'_>) -> Result<RefsQuery> {
        Ok(RefsQuery { repo: args.owned(REPO)?, contains: Some(args.owned(REVISION)?) })
    }
}
