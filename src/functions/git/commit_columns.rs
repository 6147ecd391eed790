//! The columns of a commit, which several tables begin with.

use std::marker::PhantomData;

use crate::error::Result;
use crate::ffi::{Column, Field, Type};
use crate::functions::params::comparison::NamedOptions;
use crate::functions::surface::{Col, Has, Part, Row, col, needing};
use crate::git::{CommitInfo, HistoryOptions, Mailmap, Merges, Objects, Oid, Person, Visited};
use crate::text::CancelToken;

/// What a column needs: the commit's content.
pub const INFO: u8 = 4;
/// What a column needs: names, which .mailmap may change.
pub const NAMES: u8 = 8;
/// What a column needs: the body of the message.
pub const BODY: u8 = 16;

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

/// A commit and what was read of it.
#[derive(Debug)]
pub struct Commit {
    /// The commit.
    pub visited: Visited,
    /// What it says of itself, where that was asked for.
    pub info: Option<CommitInfo>,
}

impl Commit {
    /// Reads what columns with these needs show of a commit.
    pub fn read(
        visited: Visited,
        needs: u8,
        objects: &Objects,
        mailmap: Option<&Mailmap>,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let info = if needs & (INFO | NAMES | BODY) == 0 {
            None
        } else {
            let bytes = objects.commit(&visited.id)?;
            Some(if needs & BODY == 0 {
                CommitInfo::read(&bytes, mailmap, cancel)?
            } else {
                CommitInfo::read_whole(&bytes, mailmap, cancel)?
            })
        };
        Ok(Self { visited, info })
    }

    /// Returns about how many bytes it takes in memory.
    pub fn bytes(&self) -> usize {
        let info = self.info.as_ref().map_or(0, CommitInfo::bytes);
        size_of::<Self>() + self.visited.parents.len() * size_of::<Oid>() + info
    }
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
        needing(
            INFO | NAMES,
            col("author_name", Type::Varchar, "The author's name", |(row, _), out| {
                out.push_bytes(author(row).map(|person| person.name.as_slice()));
            }),
        ),
        needing(
            INFO | NAMES,
            col("author_email", Type::Varchar, "The author's e-mail address", |(row, _), out| {
                out.push_bytes(author(row).map(|person| person.email.as_slice()));
            }),
        ),
        needing(
            INFO,
            col("author_date", Type::Timestamp, "When it was written", |(row, _), out| {
                out.push_bigint(row.info.as_ref().and_then(|info| info.author_date));
            }),
        ),
        needing(
            INFO | NAMES,
            col("committer_name", Type::Varchar, "The committer's name", |(row, _), out| {
                out.push_bytes(committer(row).map(|person| person.name.as_slice()));
            }),
        ),
        needing(
            INFO | NAMES,
            col(
                "committer_email",
                Type::Varchar,
                "The committer's e-mail address",
                |(row, _), out| {
                    out.push_bytes(committer(row).map(|person| person.email.as_slice()));
                },
            ),
        ),
        needing(
            INFO,
            col("committer_date", Type::Timestamp, "When it was committed", |(row, _), out| {
                out.push_bigint(row.info.as_ref().and_then(|info| info.committer_date));
            }),
        ),
        needing(
            INFO,
            col(
                "subject",
                Type::Varchar,
                "The subject of its message, as git's %s",
                |(row, _), out| {
                    out.push_bytes(row.info.as_ref().map(|info| info.subject.as_slice()));
                },
            ),
        ),
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

fn author(commit: &Commit) -> Option<&Person> {
    commit.info.as_ref()?.author.as_ref()
}

fn committer(commit: &Commit) -> Option<&Person> {
    commit.info.as_ref()?.committer.as_ref()
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
