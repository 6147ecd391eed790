//! `commits(range, repo)` and `commits_list(range, repo)`: every commit of a range.

use std::collections::HashMap;
use std::sync::Arc;

use super::commit_columns::{
    self, Commit, CommitThen, FIRST_PARENT, MAILMAP, NAMES, SINCE, UNTIL, history_options,
    push_texts,
};
use super::history_jobs::Jobs;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::budget::{Charge, Permits};
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{
    Excluded, History, HistoryOptions, Notes, Oid, Pathspec, Visited, decorations, mailmap_of,
    range_of,
};
use crate::limits;
use crate::pipeline::{Ordered, Weigh, Window};
use crate::text::CancelToken;

/// What a column needs: the names of references.
const REFS: u8 = 32;
/// What a column needs: the notes.
const NOTES: u8 = 64;

/// The range of a history.
pub const RANGE: Field = Field::new(
    "range",
    Type::Varchar,
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

/// What is attached to a commit from outside.
pub struct Attached;

impl Row for Attached {
    type Of<'a> = (Option<&'a [Vec<u8>]>, Option<&'a [u8]>);

    const OWN: &'static [Col<Self>] = &[
        needing(
            REFS,
            col(
                "refs",
                Type::List(&Type::Varchar),
                "The full names of HEAD, branches and tags that lead to it, in the order of git's %D",
                |(refs, _), out| {
                    push_texts(refs.unwrap_or_default().iter().cloned(), out);
                },
            ),
        ),
        needing(
            NOTES,
            col(
                "notes",
                Type::Varchar,
                "The note on it, as git's %N; NULL where there is none",
                |(_, note), out| out.push_bytes(note),
            ),
        ),
    ];
}

/// The validated arguments.
pub struct Query {
    range: String,
    repo: String,
    history: HistoryOptions,
    mailmap: bool,
    notes_ref: Option<String>,
    paths: Vec<Pathspec>,
}

/// The rows of some commits.
pub struct Commits {
    /// Each with the note on it.
    commits: Vec<(Commit, Option<Vec<u8>>)>,
    decorations: Arc<HashMap<Oid, Vec<Vec<u8>>>>,
    /// Commits that could not be read; an error only where they are not excluded.
    failed: Vec<(Oid, Error)>,
    excluded: Arc<Excluded>,
    /// What the notes take.
    _charge: Charge,
}

impl Weigh for Commits {
    fn bytes(&self) -> usize {
        let bytes = |(commit, note): &(Commit, Option<Vec<u8>>)| {
            commit.bytes() + note.as_ref().map_or(0, Vec::len)
        };
        self.commits.iter().map(bytes).sum()
    }
}

impl RowGroup for Commits {
    type Row = CommitThen<Attached>;

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
            self.commits.retain(|(commit, _)| !excluded.contains(&commit.visited.id));
        }
        Ok(())
    }

    fn rows(&self) -> usize {
        self.commits.len()
    }

    fn row(&self, index: usize) -> <Self::Row as Row>::Of<'_> {
        let (commit, note) = &self.commits[index];
        let refs = self.decorations.get(&commit.visited.id).map(Vec::as_slice);
        (commit, (refs, note.as_deref()))
    }
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
    const COLUMNS: &'static [Field] = <Commits as RowGroup>::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Stream<Commits>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let [range, repo] = arguments else { unreachable!("two arguments") };
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Query {
            range: required_text(range, Self::NAME, "range")?,
            repo: required_text(repo, Self::NAME, "repo")?,
            history: history_options(&named),
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            notes_ref: named.text("notes_ref").map(str::to_owned),
            paths: named.paths()?,
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs = <Commits as RowGroup>::Row::COLUMNS.needs(open.projection);
        let rows = execution.read(|| query.start(&execution, needs))?;
        Ok(Stream::new(rows, open.projection).eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

impl Query {
    /// Starts the walk with workers.
    fn start(&self, execution: &ExecutionContext, needs: u8) -> Result<Ordered<Commits>> {
        let budget = execution.budget.part();
        let repository = execution.repository(&self.repo)?.with_budget(Arc::clone(&budget));
        let ends = range_of(&repository, &self.range)?;
        let decorations =
            Arc::new(if needs & REFS == 0 { HashMap::new() } else { decorations(&repository)? });
        let notes = if needs & NOTES == 0 {
            None
        } else {
            Some(Arc::new(Notes::read(&repository, self.notes_ref.as_deref())?))
        };
        let mailmap = if needs & NAMES != 0 && self.mailmap {
            Some(Arc::new(mailmap_of(&repository)?))
        } else {
            None
        };
        let history =
            History::new(&repository, &ends, self.history)?.with_paths(&repository, &self.paths)?;
        let excluded = history.excluded();
        let worker = || {
            let (mailmap, excluded, decorations, notes) =
                (mailmap.clone(), Arc::clone(&excluded), Arc::clone(&decorations), notes.clone());
            let (objects, budget) = (repository.objects(), Arc::clone(&budget));
            move |job: Vec<Visited>| {
                let (mut commits, mut failed) = (Vec::with_capacity(job.len()), Vec::new());
                let (cancel, mut charge) = (CancelToken::of(&budget), Charge::free());
                for visited in job {
                    let id = visited.id;
                    let read = Commit::read(visited, needs, &objects, mailmap.as_deref(), &cancel);
                    let read = read.and_then(|commit| {
                        let note = match &notes {
                            Some(notes) => notes.of(&id, &objects, &cancel, &mut charge)?,
                            None => None,
                        };
                        Ok((commit, note))
                    });
                    match read {
                        Ok(commit) => commits.push(commit),
                        Err(error) => failed.push((id, error)),
                    }
                }
                let (excluded, decorations) = (Arc::clone(&excluded), Arc::clone(&decorations));
                Ok::<_, Error>(Commits { commits, decorations, failed, excluded, _charge: charge })
            }
        };
        // Commits of which no more is asked than the walk knows need one worker to hand them on.
        let is_read = needs & !REFS != 0;
        let permits = Permits::take(if is_read { execution.threads() } else { 1 });
        let workers = (0..permits.count()).map(|_| worker()).collect();
        let jobs = Jobs::source(history, History::next_commit);
        let window = Window { jobs: limits::WINDOW_HISTORY_JOBS, bytes: limits::WINDOW_BYTES };
        Ordered::start(jobs, workers, window, budget, permits)
    }
}

impl Listed for CommitsTable {
    const LIST_NAME: &'static str = "commits_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of commits as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(commits_list('HEAD~2..HEAD', '.', {'paths': 'README.md'}))";
    type Element = Numbered<<Commits as RowGroup>::Row>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let all = commit_columns::INFO | NAMES | commit_columns::BODY | REFS | NOTES;
        push_rows(execution.read(|| query.start(execution, all))?, out)
    }
}
