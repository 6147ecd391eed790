//! `file_history(file, rev, repo)` and `file_history_list(…)`: the commits that changed a file, through renames.

use std::sync::Arc;

use super::commit_columns::{
    BODY, Commit, CommitThen, FIRST_PARENT, INFO, MAILMAP, NAMES, SINCE, UNTIL, history_options,
};
use super::file_changes::{self, LINES};
use super::file_content::FILE;
use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use super::read_ahead::ReadAhead;
use crate::budget::Permits;
use crate::error::{Error, Result, quoted};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{
    Comparison, ContentSource, FileChange, Follow, FollowStep, FollowWalk, HistoryOptions,
    LineCounts, Measured, Measurer, Repository, RevRange, Revision, TreeItem, mailmap_of,
    nearest_paths, range_of, side_of,
};
use crate::limits;
use crate::pipeline::{Ordered, Source, Weigh, Window};
use crate::text::{CancelToken, DiffOptions};

const REVISION: Field = Field::new(
    "rev",
    Type::Varchar,
    "A revision with all that it reaches, a..b, a...b, or ALL for every reference",
);

/// A file as a commit left it.
pub struct FileVersion;

impl Row for FileVersion {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        col("file_path", Type::Varchar, "The path of the file there", |row, out| {
            out.push_bytes(Some(&row.change.path));
        }),
        col(
            "old_path",
            Type::Varchar,
            "The path that it was renamed or copied from",
            |row, out| {
                out.push_bytes(row.change.origin.as_ref().map(|origin| origin.path.as_slice()));
            },
        ),
        col(
            "status",
            Type::Varchar,
            "added, deleted, modified, type_changed, renamed or copied",
            |row, out| out.push_text(Some(row.change.status().name())),
        ),
        col(
            "similarity",
            Type::UTinyInt,
            "How similar a renamed or copied file is to its origin, in percent",
            |row, out| {
                out.push_utinyint(row.change.origin.as_ref().map(|origin| origin.similarity));
            },
        ),
        needing(
            LINES,
            col("additions", Type::BigInt, "Added lines; NULL for a binary file", |row, out| {
                out.push_bigint(file_changes::lines(row, LineCounts::additions));
            }),
        ),
        needing(
            LINES,
            col("deletions", Type::BigInt, "Removed lines; NULL for a binary file", |row, out| {
                out.push_bigint(file_changes::lines(row, LineCounts::deletions));
            }),
        ),
    ];
}

/// A commit with what it made of the file.
pub struct Version {
    commit: Commit,
    file: Measured,
}

impl Weigh for Version {
    fn bytes(&self) -> usize {
        self.commit.bytes() + self.file.bytes()
    }
}

impl RowGroup for Version {
    type Row = CommitThen<FileVersion>;

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> <Self::Row as Row>::Of<'_> {
        (&self.commit, &self.file)
    }
}

/// The table function.
pub struct FileHistory;

impl Declared for FileHistory {
    const DECLARATION: Declaration = Declaration {
        name: "file_history",
        family: Family::Git,
        grant: Grant::Tools(&["GitLog"]),
        description: "The commits that changed a file, through renames, as git log --follow lists them",
        example: "SELECT subject, file_path, additions FROM file_history('README.md', 'HEAD', '.') LIMIT 10",
    };
}

/// The validated arguments.
pub struct Query {
    file: String,
    rev: String,
    repo: String,
    mailmap: bool,
    options: HistoryOptions,
}

impl TableFunction for FileHistory {
    const NAME: &'static str = "file_history";
    const PARAMETERS: &'static [Field] = &[FILE, REVISION, comparison::REPO];
    const NAMED: &'static [Field] = &[SINCE, UNTIL, FIRST_PARENT, MAILMAP];
    const COLUMNS: &'static [Field] = <Version as RowGroup>::Row::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Stream<Version>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Query {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            rev: required_text(&arguments[1], Self::NAME, "rev")?,
            repo: required_text(&arguments[2], Self::NAME, "repo")?,
            mailmap: named.get("mailmap").as_boolean().unwrap_or(true),
            options: history_options(&named),
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Self::Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let needs = <Version as RowGroup>::Row::COLUMNS.needs(open.projection);
        let rows = execution.read(|| query.start(&execution, needs))?;
        Ok(Stream::new(rows, open.projection).eager())
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// The changes of the file; one that no commit has is an error.
pub struct Jobs {
    follow: Follow<ReadAhead<FollowWalk, FollowStep>>,
    repository: Repository,
    file: String,
    rev: String,
    is_found: bool,
}

impl Iterator for Jobs {
    type Item = Result<FileChange>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.follow.next();
        if next.is_none() && !std::mem::replace(&mut self.is_found, true) {
            return self.not_found().transpose();
        }
        self.is_found = true;
        next
    }
}

impl Jobs {
    /// Starts the walk over the commits of a range that changed a file; the range is as given, for messages. With a
    /// permit the commits are read by a thread of their own.
    pub fn new(
        repository: &Repository,
        ends: &RevRange,
        [file, rev]: [&str; 2],
        options: HistoryOptions,
        permit: Option<Permits>,
    ) -> Result<Self> {
        let walk = FollowWalk::new(repository, ends, options)?;
        let walk = ReadAhead::new(walk, permit, Arc::clone(repository.budget()));
        Ok(Self {
            follow: Follow::new(repository, walk, file),
            repository: repository.clone(),
            file: file.to_owned(),
            rev: rev.to_owned(),
            is_found: false,
        })
    }

    /// Returns an error where the newest version lacks the file, too.
    fn not_found(&self) -> Result<Option<FileChange>> {
        let ends = range_of(&self.repository, &self.rev)?;
        let Some(tip) = ends.tips.first() else { return Ok(None) };
        let side = side_of(&self.repository, &tip.to_string())?;
        let comparison = Comparison::new(self.repository.clone(), Revision::Empty, side)?;
        let has_file = match side {
            Revision::Tree(tree) => {
                let objects = self.repository.objects();
                TreeItem::find(&objects, Some(tree), self.file.as_bytes())?.file().is_some()
            }
            _ => false,
        };
        if has_file {
            return Ok(None);
        }
        let error = Error::not_found(format!(
            "no commit of {} changed a file {}",
            quoted(&self.rev),
            quoted(&self.file)
        ));
        Err(match nearest_paths(&comparison, &self.file)?.as_slice() {
            [] => error.with_hint("Paths start at the root of the repository"),
            near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
        })
    }
}

impl Query {
    /// Starts the walk with workers, which read what each commit says and count lines; one of their threads reads the
    /// links between commits ahead.
    fn start(&self, execution: &ExecutionContext, needs: u8) -> Result<Ordered<Version>> {
        let budget = execution.budget.part();
        let repository = execution.repository(&self.repo)?.with_budget(Arc::clone(&budget));
        let ends = range_of(&repository, &self.rev)?;
        let file = repository.file_from_root(&self.file)?;
        let mailmap = if needs & NAMES != 0 && self.mailmap {
            Some(Arc::new(mailmap_of(&repository)?))
        } else {
            None
        };
        let asked = [file.as_str(), self.rev.as_str()];
        let mut permits = Permits::take(execution.threads());
        let jobs = Jobs::new(&repository, &ends, asked, self.options, permits.split())?;
        let source = ContentSource::of_objects(&repository);
        let worker = || {
            let (mailmap, budget) = (mailmap.clone(), Arc::clone(&budget));
            let objects = repository.objects();
            let measure = file_changes::measure(needs);
            let mut measurer = Measurer::new(&source, measure, DiffOptions::default());
            move |found: FileChange| {
                let cancel = CancelToken::of(&budget);
                let commit =
                    Commit::read(found.commit, needs, &objects, mailmap.as_deref(), &cancel)?;
                let file = measurer.measure(found.change, &cancel)?;
                Ok::<_, Error>(Version { commit, file })
            }
        };
        let workers = (0..permits.count()).map(|_| worker()).collect();
        let window = Window { jobs: limits::WINDOW_JOBS, bytes: limits::WINDOW_BYTES };
        Ordered::start(Source::new(jobs), workers, window, budget, permits)
    }
}

impl Listed for FileHistory {
    const LIST_NAME: &'static str = "file_history_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_history as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT len(file_history_list('README.md', 'HEAD', '.', {'first_parent': true}))";
    type Element = Numbered<<Version as RowGroup>::Row>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let all = INFO | NAMES | BODY | LINES;
        push_rows(execution.read(|| query.start(execution, all))?, out)
    }
}
