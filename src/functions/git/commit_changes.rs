//! `commit_changes(range, repo)`: the changed files of every commit of a range.

use super::commit_range::{MAILMAP, MAILMAP_FILE, SINCE, UNTIL, commit_range};

use super::commits::RANGE;
use crate::ffi::Value;
use crate::functions::params::{
    Args, Asked, Choice, Given, Kind, Maybe, OneOf, PATHS, Param, REPO, Text, choice, comparison,
    fields, optional,
};
use crate::functions::surface::{Declaration, Family, Grant, RepositoryTable};
use redline_base::error::{Error, Result};
use redline_git::{CommitMeasure, Merges, Search};

use redline_query::commit_changes::CommitChangesQuery;
use redline_rows::{Field, Type};

const MERGES: Param<OneOf<ComparedMerges>> = choice(
    "merges",
    "Merges: skip, first_parent (each with its first parent), all_parents (each with every parent) or combined (files that differ from all)",
);
const CONTAINS: Param<Maybe<Texts>> = optional(
    "contains",
    "A text, or a list of texts (any may match): only changes after which it occurs more or less often, as git's -S",
);
const CHANGED_LINES: Param<Maybe<Text>> = optional(
    "changed_lines",
    "Only changes of a line that matches an extended regular expression, as git's -G",
);

/// Its own parameters; those of a comparison follow.
const OWN: [Field; 7] = [
    MERGES.field,
    SINCE.field,
    UNTIL.field,
    MAILMAP.field,
    MAILMAP_FILE.field,
    CONTAINS.field,
    CHANGED_LINES.field,
];
const NAMED: [Field; 17] = comparison::joined(&OWN, &comparison::OF_HISTORY);

/// The parents with which merges are compared, and whether at once.
type ComparedMerges = (Merges, bool);

impl Choice for ComparedMerges {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("skip", (Merges::Skip, false)),
        ("first_parent", (Merges::FirstParent, false)),
        ("all_parents", (Merges::AllParents, false)),
        ("combined", (Merges::AllParents, true)),
    ];
}

/// A text, or a list of texts.
struct Texts;

impl Kind for Texts {
    const TYPE: Type = Type::TextOrTexts;
    type Of<'a> = Vec<String>;

    fn read(given: Given<'_>, asked: Asked<'_>) -> Result<Vec<String>> {
        let wrong = |what: &str, hint: &str| {
            Error::invalid_args(format!("{} is not a {what}", asked.name)).with_hint(hint)
        };
        let text = |text: &Value| text.as_text().map(str::to_owned);
        match given.value() {
            Some(Value::Text(text)) => Ok(vec![text.clone()]),
            Some(Value::List(texts)) => {
                texts.iter().map(text).collect::<Option<_>>().ok_or_else(|| {
                    wrong("list of texts", "Give a text, or a list of texts without NULL")
                })
            }
            _ => Err(wrong("text", "Give a text, or a list of texts")),
        }
    }
}

/// The table function.
pub struct CommitChangesTable;

impl RepositoryTable for CommitChangesTable {
    const DECLARATION: Declaration = Declaration {
        name: "commit_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitShow", "GitDiff"]),
        description: "Lists the changed files of every commit of a range, in the order of git log",
        example: "SELECT subject, file_path, additions FROM commit_changes('HEAD', '.') LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![RANGE, REPO];
    const NAMED: &'static [Field] = &NAMED;
    const IS_EAGER: bool = true;
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commit_changes_list('HEAD~2..HEAD', '.', {'renames': true}))";
    type Query = CommitChangesQuery;

    fn query(args: Args<'_>) -> Result<CommitChangesQuery> {
        let (merges, combined) = args.get(MERGES)?;
        let mut range = commit_range(args, RANGE)?;
        range.history.merges = merges;
        Ok(CommitChangesQuery {
            range,
            paths: args.get(PATHS)?.unwrap_or_default(),
            measure: CommitMeasure {
                renames: comparison::rename_options(args)?,
                diff: comparison::diff_options(args)?,
                search: search(args)?,
                combined,
                ..CommitMeasure::default()
            },
        })
    }
}

/// Returns the search for changes.
fn search(args: Args<'_>) -> Result<Option<Search>> {
    match (args.get(CONTAINS)?, args.get(CHANGED_LINES)?) {
        (None, None) => Ok(None),
        (Some(texts), None) => Search::texts(texts).map(Some),
        (None, Some(pattern)) => Search::lines(pattern).map(Some),
        (Some(_), Some(_)) => {
            Err(Error::invalid_args("contains and changed_lines are given together")
                .with_hint("Give one of them: git too looks for one at a time"))
        }
    }
}
