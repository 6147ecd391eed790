//! The columns of a commit, with which several tables begin.

use std::marker::PhantomData;

use crate::questions::commit::Commit;
use redline_git::{CommitInfo, Person};
use redline_rows::{Col, Has, Need, Part, Row, integer, timestamp, varchar, varchars};

/// A row about a commit, with its fields if they were read.
pub trait OfCommit: Row {
    /// Returns the fields of the commit.
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo>;
}

/// Returns the column `author_name`.
pub const fn author_name<K: OfCommit>() -> Col<K> {
    varchar::<K>("author_name", "The author's name", |row, out| {
        out.text(name(K::info(row).map(|info| &info.author)))
    })
    .needing(&[Need::Info, Need::Names])
}

/// Returns the column `author_email`.
pub const fn author_email<K: OfCommit>() -> Col<K> {
    varchar::<K>("author_email", "The author's e-mail address", |row, out| {
        out.text(email(K::info(row).map(|info| &info.author)))
    })
    .needing(&[Need::Info, Need::Names])
}

/// Returns the column `author_date`.
pub const fn author_date<K: OfCommit>() -> Col<K> {
    timestamp::<K>("author_date", "When it was written", |row| {
        K::info(row).and_then(|info| info.author_date)
    })
    .needing(&[Need::Info])
}

/// Returns the column `author_offset`.
pub const fn author_offset<K: OfCommit>() -> Col<K> {
    integer::<K>("author_offset", "The author's time zone then, in minutes east of UTC", |row| {
        K::info(row).and_then(|info| info.author_offset)
    })
    .needing(&[Need::Info])
}

/// Returns the column `committer_date`.
pub const fn committer_date<K: OfCommit>() -> Col<K> {
    timestamp::<K>("committer_date", "When it was committed", |row| {
        K::info(row).and_then(|info| info.committer_date)
    })
    .needing(&[Need::Info])
}

/// Returns the column `subject`.
pub const fn subject<K: OfCommit>(doc: &'static str) -> Col<K> {
    varchar::<K>("subject", doc, |row, out| {
        out.text(K::info(row).map(|info| info.subject.as_slice()))
    })
    .needing(&[Need::Info])
}

fn name(person: Option<&Option<Person>>) -> Option<&[u8]> {
    person.and_then(Option::as_ref).map(|person| person.name.as_slice())
}

fn email(person: Option<&Option<Person>>) -> Option<&[u8]> {
    person.and_then(Option::as_ref).map(|person| person.email.as_slice())
}

/// A commit, and the columns that a table adds to it.
pub struct CommitThen<T>(PhantomData<T>);

impl<T: Row> Row for CommitThen<T> {
    type Of<'a> = (&'a Commit, T::Of<'a>);

    const OWN: &'static [Col<Self>] = &[
        varchar("commit_id", "The id of the commit, in hexadecimal", |(row, _), out| {
            out.text(row.visited.id.to_string())
        }),
        varchars(
            "parent_ids",
            "The ids of its parents in order; empty for a root and where a shallow clone ends",
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
        author_offset(),
        varchar::<Self>("committer_name", "The committer's name", |(row, _), out| {
            out.text(name(row.info.as_ref().map(|info| &info.committer)))
        })
        .needing(&[Need::Info, Need::Names]),
        varchar::<Self>("committer_email", "The committer's e-mail address", |(row, _), out| {
            out.text(email(row.info.as_ref().map(|info| &info.committer)))
        })
        .needing(&[Need::Info, Need::Names]),
        committer_date(),
        subject("The subject of its message, as git's %s"),
        varchar::<Self>(
            "body",
            "The rest of its message, as git's %b; '' where there is none",
            |(row, _), out| out.text(row.info.as_ref().map(|info| info.body.as_slice())),
        )
        .needing(&[Need::Body]),
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
