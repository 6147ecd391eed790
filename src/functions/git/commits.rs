//! `commits(range, repo)` and `commits_list(range, repo)`: every commit of a range.

use super::commit_columns::{
    CommitThen, FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range,
};
use crate::ffi::{Field, Type};
use crate::functions::params::{
    Args, Asked, Given, Kind, Name, PATHS, Param, REPO, Text, fields, required, text,
};
use crate::functions::surface::{
    Col, Declaration, Family, Grant, RepositoryTable, Row, Tabular, varchar, varchars,
};
use redline_base::budget::owned;
use redline_base::error::Result;
use redline_query::Need;
use redline_query::commits::{Attached, Commits, CommitsQuery};

/// The range of a history.
pub const RANGE: Param<Name> = required(
    "range",
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

const NOTES_REF: Param<NotesRef> = text(
    "notes_ref",
    "refs/notes/commits",
    "The reference with the notes of the column notes, as git's --notes; refs/notes/ may be left out",
);

/// A reference that must exist; `None` for the default, which need not exist.
struct NotesRef;

impl Kind for NotesRef {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = Option<&'a str>;

    fn read<'a>(given: Given<'a>, asked: Asked<'_>) -> Result<Option<&'a str>> {
        match given {
            Given::Default(_) => Ok(None),
            given => Text::read(given, asked).map(Some),
        }
    }
}

/// The columns of data attached to a commit.
pub struct AttachedColumns;

impl Row for AttachedColumns {
    type Of<'a> = Attached<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchars::<Self>(
            "refs",
            "The full names of HEAD, branches, remote-tracking branches, tags and the stash that lead to it, in the order of git's %D",
            |(refs, ..), out| out.texts(refs.unwrap_or_default().iter().cloned()),
        )
        .needing(&[Need::Refs]),
        varchar::<Self>(
            "notes",
            "The note on it, as git's %N; NULL where there is none",
            |(_, note, _), out| out.text(note),
        )
        .needing(&[Need::Notes]),
        varchar::<Self>(
            "patch_id",
            "The id of its patch, as git patch-id --stable of git diff-tree -p --no-renames --full-index; NULL for a merge and without changes",
            |(.., patch_id), out| out.text(patch_id),
        )
        .needing(&[Need::PatchId]),
    ];
}

impl Tabular for Commits {
    type Row = CommitThen<AttachedColumns>;
}

/// The table function.
pub struct CommitsTable;

impl RepositoryTable for CommitsTable {
    const DECLARATION: Declaration = Declaration {
        name: "commits",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Every commit of a range, merges included, in the order of git log",
        example: "SELECT commit_id, author_name, subject FROM commits('HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![RANGE, REPO];
    const NAMED: &'static [Field] =
        fields![SINCE, UNTIL, PATHS, FIRST_PARENT, MAILMAP, MAILMAP_FILE, NOTES_REF];
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commits_list('HEAD~2..HEAD', '.', {'paths': 'README.md'}))";
    type Query = CommitsQuery;

    fn query(args: Args<'_>) -> Result<CommitsQuery> {
        Ok(CommitsQuery {
            range: commit_range(args, RANGE)?,
            notes_ref: args.get(NOTES_REF)?.map(owned).transpose()?,
            paths: args.get(PATHS)?.unwrap_or_default(),
        })
    }
}
