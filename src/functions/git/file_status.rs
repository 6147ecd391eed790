//! `file_status(repo)` and `file_status_list(repo)`: what `git status` lists.

use std::sync::Arc;

use super::listed::Listed;
use super::numbered::Numbered;
use crate::budget::Permits;
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison::{self, NamedOptions};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, Rows, col};
use crate::git::{
    FileStatus, RenameOptions, Repository, StatusFound, StatusOptions, StatusPart, StatusWalk, join,
};
use crate::pipeline::{Ordered, Poll, Source, Weigh, Window};

impl Row for FileStatus {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col(
            "file_path",
            Type::Varchar,
            "Path from the repository's root; that of a repository inside ends in a slash",
            |row, out| out.push_bytes(Some(&row.path)),
        ),
        col("old_path", Type::Varchar, "The path that a renamed file had", |row, out| {
            out.push_bytes(row.old_path.as_deref());
        }),
        col(
            "index_status",
            Type::Varchar,
            "What the index changes of HEAD: added, deleted, modified, type_changed, renamed, unmerged",
            |row, out| out.push_text(row.index),
        ),
        col(
            "worktree_status",
            Type::Varchar,
            "What the work tree changes of the index: as above, or untracked or ignored",
            |row, out| out.push_text(row.work_tree),
        ),
        col(
            "conflict",
            Type::Varchar,
            "both_modified, both_added, both_deleted, or added_ or deleted_ by_us or by_them",
            |row, out| out.push_text(row.conflict),
        ),
        col("is_submodule", Type::Boolean, "Whether it is a submodule", |row, out| {
            out.push_boolean(Some(row.is_submodule));
        }),
        col(
            "similarity",
            Type::UTinyInt,
            "How similar a renamed file is to what it was, in percent",
            |row, out| out.push_utinyint(row.similarity),
        ),
    ];
}

impl Weigh for StatusFound {
    fn bytes(&self) -> usize {
        // They are all awaited at once.
        0
    }
}

/// The table function.
pub struct FileStatusTable;

impl Declared for FileStatusTable {
    const DECLARATION: Declaration = Declaration {
        name: "file_status",
        family: Family::Git,
        grant: Grant::Tools(&["GitStatus", "GitDiff"]),
        description: "The files that git status lists: what is staged, changed, in conflict or not tracked",
        example: "SELECT file_path, index_status, worktree_status FROM file_status('.')",
    };
}

/// The validated arguments.
pub struct Query {
    repo: String,
    options: StatusOptions,
}

/// A running scan: its parts, then its rows.
pub struct Scan {
    parts: Option<Ordered<StatusFound>>,
    rows: Rows<FileStatus>,
    projection: Vec<usize>,
}

impl TableFunction for FileStatusTable {
    const NAME: &'static str = "file_status";
    const PARAMETERS: &'static [Field] = &[comparison::REPO];
    const NAMED: &'static [Field] = &[
        Field::optional("renames", Type::Boolean, "true", "Detect renames"),
        Field::optional(
            "untracked",
            Type::Boolean,
            "true",
            "List files that are neither tracked nor ignored",
        ),
        Field::optional("ignored", Type::Boolean, "false", "List ignored files"),
        comparison::PATHS,
    ];
    const COLUMNS: &'static [Field] = FileStatus::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Query;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Query> {
        let named = NamedOptions::new(Self::NAMED, named);
        let is_on = |name| named.get(name).as_boolean().unwrap_or(true);
        Ok(Query {
            repo: required_text(&arguments[0], Self::NAME, "repo")?,
            options: StatusOptions {
                paths: named.paths()?,
                renames: is_on("renames").then(RenameOptions::default),
                untracked: is_on("untracked"),
                ignored: named.boolean("ignored"),
            },
        })
    }

    fn open(query: &Query, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let parts = execution.read(|| query.start(&execution))?;
        let projection = open.projection.to_vec();
        Ok(Scan { parts: Some(parts), rows: Rows::new([], &projection), projection })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        if let Some(parts) = scan.parts.take() {
            scan.rows = Rows::new(joined(parts)?, &scan.projection);
        }
        scan.rows.fill(batch);
        Ok(())
    }
}

impl Query {
    /// Starts the parts, each a job.
    fn start(&self, execution: &ExecutionContext) -> Result<Ordered<StatusFound>> {
        start(execution.repository(&self.repo)?, self.options.clone(), execution)
    }
}

fn start(
    repository: Repository,
    options: StatusOptions,
    execution: &ExecutionContext,
) -> Result<Ordered<StatusFound>> {
    let budget = execution.budget.part();
    let repository = repository.with_budget(Arc::clone(&budget));
    let walk = StatusWalk::new(&repository, options, execution.threads())?;
    // The longest first.
    let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
    let permits = Permits::take(execution.threads().min(jobs.len()));
    let worker = || {
        let walk = walk.clone();
        move |part| walk.find(part)
    };
    let workers = (0..permits.count()).map(|_| worker()).collect();
    let window = Window { jobs: jobs.len(), bytes: usize::MAX };
    Ordered::start(Source::new(jobs.into_iter()), workers, window, budget, permits)
}

/// Returns the status of a repository.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    execution: &ExecutionContext,
) -> Result<Vec<FileStatus>> {
    joined(start(repository.clone(), options, execution)?)
}

/// Awaits all parts.
fn joined(mut parts: Ordered<StatusFound>) -> Result<Vec<FileStatus>> {
    let mut found = Vec::new();
    loop {
        match parts.poll(None) {
            Poll::Ready(part) => found.push(part?),
            Poll::Pending => {}
            Poll::End => return join(found),
        }
    }
}

impl Listed for FileStatusTable {
    const LIST_NAME: &'static str = "file_status_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_status as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(file_status_list('.', {'untracked': false}), recursive := true)";
    type Element = Numbered<FileStatus>;

    fn list(query: &Query, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let rows = joined(execution.read(|| query.start(execution))?)?;
        out.push_list(|elements| {
            for (seq, row) in (1..).zip(&rows) {
                Numbered::<FileStatus>::COLUMNS.write_struct((seq, row), elements);
            }
            Ok::<_, Error>(())
        })
    }
}
