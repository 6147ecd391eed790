//! `commit_changes(range, repo)`: the changed files of every commit of a range.

use std::sync::Arc;

use super::commit_columns::{self, INFO, NAMES, push_texts};
use super::file_changes;
use super::history_jobs::Jobs;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::budget::Permits;
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Has, Part, Row, RowGroup, Stream, col, needing,
};
use crate::git::{
    CommitChanges, CommitInfo, CommitMeasure, CommitMeasurer, Comparable, Excluded, History,
    HistoryOptions, Measured, Merges, Oid, Pathspec, Person, RenameOptions, Search, mailmap_of,
    range_of,
};
use crate::limits;
use crate::pipeline::{Ordered, Weigh, Window};
use crate::text::{CancelToken, DiffOptions};

/// The parameters of its own; those of a comparison follow.
const OWN: [Field; 6] = [
    Field::optional(
        "merges",
        Type::Varchar,
        "'skip'",
        "Merges: skip, first_parent (each with its first parent) or all_parents (each with every parent)",
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
    /// The commit, the change, and the texts that it adds or removes.
    type Of<'a> = (&'a CommitChanges, &'a Measured, Option<(&'a [u32], &'a [String])>);

    const OWN: &'static [Col<Self>] = &[
        col(
            "commit_id",
            Type::Varchar,
            "The id of the commit, in hexadecimal",
            |(commit, ..), out| {
                out.push_text(Some(&commit.id.to_string()));
            },
        ),
        col(
            "parent_id",
            Type::Varchar,
            "The parent that it is compared with; NULL for a root",
            |(commit, ..), out| {
                out.push_text(commit.parent.map(|id| id.to_string()).as_deref());
            },
        ),
        needing(
            INFO | NAMES,
            col("author_name", Type::Varchar, "The author's name", |(commit, ..), out| {
                out.push_bytes(author(commit).map(|person| person.name.as_slice()));
            }),
        ),
        needing(
            INFO | NAMES,
            col(
                "author_email",
                Type::Varchar,
                "The author's e-mail address",
                |(commit, ..), out| {
                    out.push_bytes(author(commit).map(|person| person.email.as_slice()));
                },
            ),
        ),
        needing(
            INFO,
            col("author_date", Type::Timestamp, "When it was written", |(commit, ..), out| {
                out.push_bigint(commit.info.as_deref().and_then(|info| info.author_date));
            }),
        ),
        needing(
            INFO,
            col("committer_date", Type::Timestamp, "When it was committed", |(commit, ..), out| {
                out.push_bigint(commit.info.as_deref().and_then(|info| info.committer_date));
            }),
        ),
        needing(
            INFO,
            col(
                "subject",
                Type::Varchar,
                "The subject of its message, as git's %s",
                |(commit, ..), out| {
                    out.push_bytes(commit.info.as_deref().map(|info| info.subject.as_slice()));
                },
            ),
        ),
    ];
    const PART: Option<Part<Self>> = Some(Part::of::<Measured>());
    const TAIL: &'static [Col<Self>] = &[col(
        "matched",
        Type::List(&Type::Varchar),
        "Which texts of contains occur more or less often; NULL where none are looked for",
        |(.., matched), out| match matched {
            None => out.push_null(),
            Some((found, texts)) => {
                let texts = found.iter().filter_map(|&text| texts.get(text as usize));
                push_texts(texts.map(|text| text.clone().into_bytes()), out);
            }
        },
    )];
}

impl Has<Measured> for CommitChange {
    fn part<'a>(row: Self::Of<'a>) -> <Measured as Row>::Of<'a> {
        row.1
    }
}

fn author(commit: &CommitChanges) -> Option<&Person> {
    commit.info.as_deref()?.author.as_ref()
}

/// The validated arguments.
pub struct Query {
    range: String,
    repo: String,
    history: HistoryOptions,
    mailmap: bool,
    paths: Vec<Pathspec>,
    renames: Option<RenameOptions>,
    diff: DiffOptions,
    search: Option<Search>,
}

/// The rows of some commits: each names its commit by its place.
pub struct Rows {
    commits: Vec<CommitChanges>,
    /// For each row the commit and the change.
    places: Vec<(u32, u32)>,
    /// Commits that could not be compared; an error only where they are not excluded.
    failed: Vec<(Oid, Error)>,
    /// The texts that are looked for.
    texts: Option<Arc<[String]>>,
    excluded: Arc<Excluded>,
}

impl Weigh for Rows {
    fn bytes(&self) -> usize {
        let changes = self.commits.iter().flat_map(|commit| &commit.changes);
        let info = self.commits.iter().filter_map(|commit| commit.info.as_deref());
        self.commits.len() * size_of::<CommitChanges>()
            + changes.map(Weigh::bytes).sum::<usize>()
            + info.map(CommitInfo::bytes).sum::<usize>()
    }
}

impl RowGroup for Rows {
    type Row = CommitChange;

    fn finalize(&mut self) -> Result<()> {
        let Some(excluded) = self.excluded.get() else {
            return Err(Error::tool_failed(
                "the commit walk ended before the excluded commits were known",
            ));
        };
        if let Some((_, error)) =
            self.failed.drain(..).find(|(commit, _)| !excluded.contains(commit))
        {
            return Err(error);
        }
        if !excluded.is_empty() {
            self.places
                .retain(|(commit, _)| !excluded.contains(&self.commits[*commit as usize].id));
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        self.places.len()
    }

    fn row(&self, index: usize) -> <Self::Row as Row>::Of<'_> {
        let (commit, change) = self.places[index];
        let commit = &self.commits[commit as usize];
        let found = commit.found.get(change as usize).map_or(&[][..], Vec::as_slice);
        let matched = self.texts.as_ref().map(|texts| (found, &texts[..]));
        (commit, &commit.changes[change as usize], matched)
    }
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
    const PARAMETERS: &'static [Field] = &[
        Field::new(
            "range",
            Type::Varchar,
            "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
        ),
        comparison::REPO,
    ];
    const NAMED: &'static [Field] = &comparison::joined::<
        { OWN.len() + comparison::HISTORY_OPTIONS.len() },
    >(&OWN, comparison::HISTORY_OPTIONS);
    const COLUMNS: &'static [Field] = CommitChange::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Stream<Rows>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let [range, repo] = arguments else { unreachable!("two arguments") };
        let named = NamedOptions::new(Self::NAMED, named);
        let merges = [
            ("skip", Merges::Skip),
            ("first_parent", Merges::FirstParent),
            ("all_parents", Merges::AllParents),
        ];
        Ok(Query {
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
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let rows = execution.read(|| query.start(&execution, open.projection))?;
        Ok(Stream::new(rows, open.projection).eager())
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

impl Query {
    /// Starts the walk with workers.
    fn start(&self, execution: &ExecutionContext, projection: &[usize]) -> Result<Ordered<Rows>> {
        let budget = execution.budget.part();
        let repository = execution.repository(&self.repo)?.with_budget(Arc::clone(&budget));
        let ends = range_of(&repository, &self.range)?;
        let needs = CommitChange::COLUMNS.needs(projection);
        let names = needs & NAMES != 0;
        let measure = CommitMeasure {
            info: needs & INFO != 0,
            changes: file_changes::measure(needs),
            renames: self.renames,
            diff: self.diff.clone(),
            search: self.search.clone(),
        };
        let texts = match &self.search {
            Some(Search::Texts(texts)) => Some(Arc::clone(texts)),
            _ => None,
        };
        let mailmap =
            if names && self.mailmap { Some(Arc::new(mailmap_of(&repository)?)) } else { None };
        let history = History::new(&repository, &ends, self.history)?;
        let excluded = history.excluded();
        let worker = || {
            let (budget, mailmap, excluded, texts) =
                (Arc::clone(&budget), mailmap.clone(), Arc::clone(&excluded), texts.clone());
            let mut measurer = CommitMeasurer::new(&repository, &self.paths, &measure, mailmap)?;
            Ok(move |job: Vec<Comparable>| {
                let (mut commits, mut failed) = (Vec::new(), Vec::new());
                for commit in &job {
                    let compared =
                        measurer.measure(commit, &mut commits, &CancelToken::of(&budget));
                    failed.extend(compared.err().map(|error| (commit.id, error)));
                }
                let places = (0u32..).zip(&commits).flat_map(|(place, commit)| {
                    (0..commit.changes.len() as u32).map(move |change| (place, change))
                });
                let places = places.collect();
                let (texts, excluded) = (texts.clone(), Arc::clone(&excluded));
                Ok::<_, Error>(Rows { commits, places, failed, texts, excluded })
            })
        };
        let permits = Permits::take(execution.threads());
        let workers = (0..permits.count()).map(|_| worker()).collect::<Result<_>>()?;
        let jobs = Jobs::source(history, History::next);
        let window = Window { jobs: limits::WINDOW_HISTORY_JOBS, bytes: limits::WINDOW_BYTES };
        Ordered::start(jobs, workers, window, budget, permits)
    }
}

impl Listed for CommitChangesTable {
    const LIST_NAME: &'static str = "commit_changes_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of commit_changes as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commit_changes_list('HEAD~2..HEAD', '.', {'renames': true}))";
    type Element = Numbered<CommitChange>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let all: Vec<usize> = (0..CommitChange::FIELDS.len()).collect();
        push_rows(execution.read(|| query.start(execution, &all))?, out)
    }
}
