//! `commits(range, repo)` and `commits_list(range, repo)`: every commit of a range.

use super::commit_columns::{CommitThen, FIRST_PARENT, MAILMAP, SINCE, UNTIL, history_options};
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Stream, Tabular, needing, varchar, varchars,
};
use crate::query::commits::{Attached, Commits, CommitsQuery};
use crate::query::needs::{NOTES, REFS};

/// The range of a history.
pub const RANGE: Field = Field::new(
    "range",
    Type::Varchar,
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

/// The columns of what is attached to a commit from outside.
pub struct AttachedColumns;

impl Row for AttachedColumns {
    type Of<'a> = Attached<'a>;

    const OWN: &'static [Col<Self>] = &[
        needing(
            REFS,
            varchars(
                "refs",
                "The full names of HEAD, branches and tags that lead to it, in the order of git's %D",
                |(refs, _), out| out.texts(refs.unwrap_or_default().iter().cloned()),
            ),
        ),
        needing(
            NOTES,
            varchar(
                "notes",
                "The note on it, as git's %N; NULL where there is none",
                |(_, note), out| out.text(note),
            ),
        ),
    ];
}

impl Tabular for Commits {
    type Row = CommitThen<AttachedColumns>;
}

/// The table function.
pub struct CommitsTable;

impl Declared for CommitsTable {
    const DECLARATION: Declaration = Declaration {
        name: "commits",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "Every commit of a range, merges included, in the order of git log",
        example: "SELECT commit_id, author_name, subject FROM commits('HEAD', '.') LIMIT 10",
    };
}

impl TableFunction for CommitsTable {
    const NAME: &'static str = "commits";
    const PARAMETERS: &'static [Field] = &[RANGE, comparison::REPO];
    const NAMED: &'static [Field] = &[
        SINCE,
        UNTIL,
        comparison::PATHS,
        FIRST_PARENT,
        MAILMAP,
        Field::optional(
            "notes_ref",
            Type::Varchar,
            "'refs/notes/commits'",
            "The reference with the notes of the column notes",
        ),
    ];
    const COLUMNS: &'static [Field] = <Commits as Tabular>::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = CommitsQuery;
    type Scan = Stream<Commits>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<CommitsQuery> {
        let [range, repo] = arguments else { unreachable!("two arguments") };
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(CommitsQuery {
            range: required_text(range, Self::NAME, "range")?,
            repo: required_text(repo, Self::NAME, "repo")?,
            history: history_options(&named),
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            notes_ref: named.text("notes_ref").map(str::to_owned),
            paths: named.paths()?,
        })
    }

    fn open(query: &CommitsQuery, open: Open<'_>) -> Result<Self::Scan> {
        Ok(Stream::open::<Self>(query, open)?.eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Listed for CommitsTable {
    const LIST_NAME: &'static str = "commits_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of commits as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commits_list('HEAD~2..HEAD', '.', {'paths': 'README.md'}))";
    type Element = Numbered<<Commits as Tabular>::Row>;

    fn list(query: &CommitsQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        push_rows(query, execution, out)
    }
}
