//! `commits(range, repo)` and `commits_list(range, repo)`: every commit of a range.

use super::commit_range::{FIRST_PARENT, MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range};

use crate::functions::params::{
    Args, Asked, Given, Kind, Name, PATHS, Param, REPO, Text, fields, required, text,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::budget::owned;
use redline_base::error::Result;

use redline_query::commits::CommitsQuery;
use redline_rows::{Field, Type};

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

/// The table function.
pub struct CommitsTable;

impl RepositoryTable for CommitsTable {
    const DECLARATION: Declaration = Declaration {
        name: "commits",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Lists the commits of a range, merges included, in the order of git log",
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
