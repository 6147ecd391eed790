//! `commit_changes(range, repo)`: the changed files of every commit of a range.

use super::commit_columns::{
    self, OfCommit, author_date, author_email, author_name, committer_date, subject,
};
use super::commits::RANGE;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Has, Part, Row, Stream, Tabular, varchar, varchars,
};
use crate::git::{CommitInfo, HistoryOptions, Measured, Merges, Search};
use crate::query::RowGroup;
use crate::query::commit_changes::{ChangesOfCommits, CommitChangesQuery};

/// The parameters of its own; those of a comparison follow.
const OWN: [Field; 6] = [
    Field::optional(
        "merges",
        Type::Varchar,
        "'skip'",
        "Merges: skip, first_parent (each with its first parent), all_parents (each with every parent) or combined (files that differ from all)",
    ),
    commit_columns::SINCE,
    commit_columns::UNTIL,
    commit_columns::MAILMAP,
    Field::optional(
        "contains",
        Type::TextOrTexts,
        "NULL",
        "A text, or a list of which one is enough: only changes after which it occurs more or less often, as git's -S",
    ),
    Field::optional(
        "changed_lines",
        Type::Varchar,
        "NULL",
        "Only changes of a line that matches an extended regular expression, as git's -G",
    ),
];

/// A commit with one of its changes.
pub struct CommitChange;

impl Row for CommitChange {
    type Of<'a> = <ChangesOfCommits as RowGroup>::Of<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("commit_id", "The id of the commit, in hexadecimal", |(commit, ..), out| {
            out.text(commit.id.to_string())
        }),
        varchar(
            "parent_id",
            "The parent that it is compared with; NULL for a root",
            |(commit, ..), out| out.text(commit.parent.map(|id| id.to_string())),
        ),
        author_name(),
        author_email(),
        author_date(),
        committer_date(),
        subject("The subject of its message, as git's %s"),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<Measured>());
    const TAIL: &'static [Col<Self>] = &[varchars(
        "matched",
        "Which texts of contains occur more or less often; NULL where none are looked for",
        |(.., matched), out| match matched {
            None => out.null(),
            Some((found, texts)) => {
                out.texts(found.iter().filter_map(|&text| texts.get(text as usize)))
            }
        },
    )];
}

impl Has<Measured> for CommitChange {
    fn part<'a>(row: Self::Of<'a>) -> <Measured as Row>::Of<'a> {
        row.1
    }
}

impl OfCommit for CommitChange {
    fn info<'a>(row: Self::Of<'a>) -> Option<&'a CommitInfo> {
        row.0.info.as_deref()
    }
}

impl Tabular for ChangesOfCommits {
    type Row = CommitChange;
}

/// The table function.
pub struct CommitChangesTable;

impl Declared for CommitChangesTable {
    const DECLARATION: Declaration = Declaration {
        name: "commit_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitShow", "GitDiff"]),
        description: "The changed files of every commit of a range, in the order of git log",
        example: "SELECT subject, file_path, additions FROM commit_changes('HEAD', '.') LIMIT 10",
    };
}

impl TableFunction for CommitChangesTable {
    const NAME: &'static str = "commit_changes";
    const PARAMETERS: &'static [Field] = &[RANGE, comparison::REPO];
    const NAMED: &'static [Field] = &comparison::joined::<
        { OWN.len() + comparison::HISTORY_OPTIONS.len() },
    >(&OWN, comparison::HISTORY_OPTIONS);
    const COLUMNS: &'static [Field] = CommitChange::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = CommitChangesQuery;
    type Scan = Stream<ChangesOfCommits>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<CommitChangesQuery> {
        let [range, repo] = arguments else { unreachable!("two arguments") };
        let named = NamedOptions::new(Self::NAMED, named);
        let merges = [
            ("skip", Merges::Skip),
            ("first_parent", Merges::FirstParent),
            ("all_parents", Merges::AllParents),
            ("combined", Merges::AllParents),
        ];
        let is_combined = |merges: &str| merges.eq_ignore_ascii_case("combined");
        Ok(CommitChangesQuery {
            range: required_text(range, Self::NAME, "range")?,
            repo: required_text(repo, Self::NAME, "repo")?,
            history: HistoryOptions {
                merges: named.choice("merges", &merges)?,
                since: named.get("since").as_timestamp(),
                until: named.get("until").as_timestamp(),
                first_parent: false,
            },
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            paths: named.paths()?,
            renames: named.rename_options()?,
            diff: named.diff_options()?,
            search: search(&named)?,
            combined: named.text("merges").is_some_and(is_combined),
        })
    }

    fn open(query: &CommitChangesQuery, open: Open<'_>) -> Result<Self::Scan> {
        Ok(Stream::open::<Self>(query, open)?.eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Returns what changes are looked for.
fn search(named: &NamedOptions<'_>) -> Result<Option<Search>> {
    let texts = match named.get("contains") {
        Value::Null => None,
        Value::Text(text) => Some(vec![text.clone()]),
        Value::List(texts) => {
            let text = |text: &Value| text.as_text().map(str::to_owned);
            Some(texts.iter().map(text).collect::<Option<Vec<_>>>().ok_or_else(|| {
                Error::invalid_args("contains is no list of texts")
                    .with_hint("Give a text, or a list of texts without NULL")
            })?)
        }
        _ => {
            return Err(Error::invalid_args("contains is no text")
                .with_hint("Give a text, or a list of texts"));
        }
    };
    match (texts, named.text("changed_lines")) {
        (None, None) => Ok(None),
        (Some(texts), None) => Search::texts(texts).map(Some),
        (None, Some(pattern)) => Search::lines(pattern).map(Some),
        (Some(_), Some(_)) => {
            Err(Error::invalid_args("contains and changed_lines are given together")
                .with_hint("Give one of them: git too looks for one at a time"))
        }
    }
}

impl Listed for CommitChangesTable {
    const LIST_NAME: &'static str = "commit_changes_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of commit_changes as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commit_changes_list('HEAD~2..HEAD', '.', {'renames': true}))";
    type Element = Numbered<CommitChange>;

    fn list(
        query: &CommitChangesQuery,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        push_rows(query, execution, out)
    }
}
