//! The columns of a commit, which several tables begin with.

use std::marker::PhantomData;

use crate::ffi::{Column, Field, Type};
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{Col, Has, Part, Row, col, needing};
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
        col("author_name", Type::Varchar, "The author's name", |row, out| {
            push_name(K::info(row).map(|info| &info.author), out);
        }),
    )
}

/// Returns the column `author_email`.
pub const fn author_email<K: OfCommit>() -> Col<K> {
    needing(
        INFO | NAMES,
        col("author_email", Type::Varchar, "The author's e-mail address", |row, out| {
            push_email(K::info(row).map(|info| &info.author), out);
        }),
    )
}

/// Returns the column `author_date`.
pub const fn author_date<K: OfCommit>() -> Col<K> {
    needing(
        INFO,
        col("author_date", Type::Timestamp, "When it was written", |row, out| {
            out.push_bigint(K::info(row).and_then(|info| info.author_date));
        }),
    )
}

/// Returns the column `committer_date`.
pub const fn committer_date<K: OfCommit>() -> Col<K> {
    needing(
        INFO,
        col("committer_date", Type::Timestamp, "When it was committed", |row, out| {
            out.push_bigint(K::info(row).and_then(|info| info.committer_date));
        }),
    )
}

/// Returns the column `subject`.
pub const fn subject<K: OfCommit>(doc: &'static str) -> Col<K> {
    needing(
        INFO,
        col("subject", Type::Varchar, doc, |row, out| {
            out.push_bytes(K::info(row).map(|info| info.subject.as_slice()));
        }),
    )
}

fn push_name(person: Option<&Option<Person>>, out: &mut Column) {
    out.push_bytes(person.and_then(Option::as_ref).map(|person| person.name.as_slice()));
}

fn push_email(person: Option<&Option<Person>>, out: &mut Column) {
    out.push_bytes(person.and_then(Option::as_ref).map(|person| person.email.as_slice()));
}

/// A commit, and what a table adds to it.
pub struct CommitThen<T>(PhantomData<T>);

impl<T: Row> Row for CommitThen<T> {
    type Of<'a> = (&'a Commit, T::Of<'a>);

    const OWN: &'static [Col<Self>] = &[
        col("commit_id", Type::Varchar, "The id of the commit, in hexadecimal", |(row, _), out| {
            out.push_text(Some(&row.visited.id.to_string()));
        }),
        col(
            "parent_ids",
            Type::List(&Type::Varchar),
            "The ids of its parents in order; empty for a root",
            |(row, _), out| {
                push_texts(row.visited.parents.iter().map(|id| id.to_string().into_bytes()), out);
            },
        ),
        col("tree_id", Type::Varchar, "The id of the tree of its files", |(row, _), out| {
            out.push_text(Some(&row.visited.tree.to_string()));
        }),
        author_name(),
        author_email(),
        author_date(),
        needing(
            INFO | NAMES,
            col("committer_name", Type::Varchar, "The committer's name", |(row, _), out| {
                push_name(row.info.as_ref().map(|info| &info.committer), out);
            }),
        ),
        needing(
            INFO | NAMES,
            col(
                "committer_email",
                Type::Varchar,
                "The committer's e-mail address",
                |(row, _), out| {
                    push_email(row.info.as_ref().map(|info| &info.committer), out);
                },
            ),
        ),
        committer_date(),
        subject("The subject of its message, as git's %s"),
        needing(
            BODY,
            col(
                "body",
                Type::Varchar,
                "The rest of its message, as git's %b; '' where there is none",
                |(row, _), out| {
                    out.push_bytes(row.info.as_ref().map(|info| info.body.as_slice()));
                },
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

/// Appends a list of texts.
pub fn push_texts(texts: impl Iterator<Item = Vec<u8>>, out: &mut Column) {
    let pushed: std::result::Result<(), std::convert::Infallible> = out.push_list(|child| {
        texts.for_each(|text| child.push_bytes(Some(&text)));
        Ok(())
    });
    match pushed {
        Ok(()) => {}
        Err(never) => match never {},
    }
}
