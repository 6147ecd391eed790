//! The columns of a commit, which several tables begin with.

use std::marker::PhantomData;

use crate::ffi::{Field, Type};
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{Col, Has, Part, Row, needing, timestamp, varchar, varchars};
use crate::git::{CommitInfo, HistoryOptions, Merges, Person};
use crate::query::commit::Commit;
use crate::query::needs::{BODY, INFO, NAMES};

/// Leaves out commits by their time.
pub const SINCE: Field = Field::optional(
    "since",
    Type::Timestamp,
    "NULL",
    "Leave out commits whose committer date is before this",
);
/// As above.
pub const UNTIL: Field = Field::optional(
    "until",
    Type::Timestamp,
    "NULL",
    "Leave out commits whose committer date is after this",
);
/// Whether names are those of .mailmap.
pub const MAILMAP: Field = Field::optional(
    "mailmap",
    Type::Boolean,
    "true",
    "Show authors and committers as .mailmap names them",
);
/// Whether a walk follows first parents alone.
pub const FIRST_PARENT: Field = Field::optional(
    "first_parent",
    Type::Boolean,
    "false",
    "Follow only the first parent of a merge",
);

/// Returns which commits of a walk are asked for; merges are never left out.
pub fn history_options(named: &NamedOptions<'_>) -> HistoryOptions {
    HistoryOptions {
        merges: Merges::AllParents,
        since: named.get("since").as_timestamp(),
        until: named.get("until").as_timestamp(),
        first_parent: named.boolean("first_parent"),
    }
}

/// A row about a commit, where it was read.
pub trait OfCommit: Row {
    /// Returns what the commit says of itself.
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo>;
}

/// Returns the column `author_name`.
pub const fn author_name<K: OfCommit>() -> Col<K> {
    needing(
        INFO | NAMES,
        varchar("author_name", "The author's name", |row, out| {
            out.text(name(K::info(row).map(|info| &info.author)))
        }),
    )
}

/// Returns the column `author_email`.
pub const fn author_email<K: OfCommit>() -> Col<K> {
    needing(
        INFO | NAMES,
        varchar("author_email", "The author's e-mail address", |row, out| {
            out.text(email(K::info(row).map(|info| &info.author)))
        }),
    )
}

/// Returns the column `author_date`.
pub const fn author_date<K: OfCommit>() -> Col<K> {
    needing(
        INFO,
        timestamp("author_date", "When it was written", |row| {
            K::info(row).and_then(|info| info.author_date)
        }),
    )
}

/// Returns the column `committer_date`.
pub const fn committer_date<K: OfCommit>() -> Col<K> {
    needing(
        INFO,
        timestamp("committer_date", "When it was committed", |row| {
            K::info(row).and_then(|info| info.committer_date)
        }),
    )
}

/// Returns the column `subject`.
pub const fn subject<K: OfCommit>(doc: &'static str) -> Col<K> {
    needing(
        INFO,
        varchar("subject", doc, |row, out| {
            out.text(K::info(row).map(|info| info.subject.as_slice()))
        }),
    )
}

fn name(person: Option<&Option<Person>>) -> Option<&[u8]> {
    person.and_then(Option::as_ref).map(|person| person.name.as_slice())
}

fn email(person: Option<&Option<Person>>) -> Option<&[u8]> {
    person.and_then(Option::as_ref).map(|person| person.email.as_slice())
}

/// A commit, and what a table adds to it.
pub struct CommitThen<T>(PhantomData<T>);

impl<T: Row> Row for CommitThen<T> {
    type Of<'a> = (&'a Commit, T::Of<'a>);

    const OWN: &'static [Col<Self>] = &[
        varchar("commit_id", "The id of the commit, in hexadecimal", |(row, _), out| {
            out.text(row.visited.id.to_string())
        }),
        varchars(
            "parent_ids",
            "The ids of its parents in order; empty for a root",
            |(row, _), out| {
                out.texts(row.visited.parents.iter().map(|id| id.to_string().into_bytes()))
            },
        ),
        varchar("tree_id", "The id of the tree of its files", |(row, _), out| {
            out.text(row.visited.tree.to_string())
        }),
        author_name(),
        author_email(),
        author_date(),
        needing(
            INFO | NAMES,
            varchar("committer_name", "The committer's name", |(row, _), out| {
                out.text(name(row.info.as_ref().map(|info| &info.committer)))
            }),
        ),
        needing(
            INFO | NAMES,
            varchar("committer_email", "The committer's e-mail address", |(row, _), out| {
                out.text(email(row.info.as_ref().map(|info| &info.committer)))
            }),
        ),
        committer_date(),
        subject("The subject of its message, as git's %s"),
        needing(
            BODY,
            varchar(
                "body",
                "The rest of its message, as git's %b; '' where there is none",
                |(row, _), out| out.text(row.info.as_ref().map(|info| info.body.as_slice())),
            ),
        ),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<T>());
}

impl<T: Row> Has<T> for CommitThen<T> {
    fn part<'a>(row: Self::Of<'a>) -> T::Of<'a> {
        row.1
    }
}

impl<T: Row> OfCommit for CommitThen<T> {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.0.info.as_ref()
    }
}
