//! The rows of `git status`.

use crate::Question;
use crate::machinery::rows::{Query, Rows};
use crate::machinery::run::{Context, Run};
use crate::params::{PATHS, REPO};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_base::pipeline::{Source, Unweighed, Window};
use redline_git::{
    FileStatus, RenameOptions, Repository, StatusOptions, StatusPart, StatusWalk, join,
};
use redline_rows::params::{Args, Flag, Param, flag};
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Needs, Row, boolean, fields, utinyint, varchar,
};
use redline_text::CancelToken;

/// A repository and the options of its status.
pub struct StatusQuery {
    /// The repository.
    pub repo: String,
    /// The selected files.
    pub options: StatusOptions,
}

impl Query for StatusQuery {
    type Group = Vec<FileStatus>;
    type Row = StatusColumns;

    fn start(&self, context: &Context, _: Needs) -> Result<Rows<Vec<FileStatus>>> {
        context.read(|| {
            let repository = context.repository(&self.repo)?;
            status(&repository, self.options.clone(), context).map(|found| Rows::Once(Some(found)))
        })
    }
}

/// Returns the status of a repository: its rows need all parts, each of which is a job.
pub fn status(
    repository: &Repository,
    options: StatusOptions,
    context: &Context,
) -> Result<Vec<FileStatus>> {
    // The longest first.
    let jobs = [StatusPart::WorkTree, StatusPart::Untracked, StatusPart::Index].map(Ok);
    let run = Run::over(context, repository.clone(), jobs.len());
    let walk = StatusWalk::new(&run.repository, options)?;
    let window = Window::unweighed(jobs.len());
    let parts = run.start(Source::new(jobs.into_iter()), window, |_| {
        let walk = walk.clone();
        Ok(move |part, _: &CancelToken<'_>| walk.find(part).map(Unweighed))
    })?;
    join(parts.map(|part| part.map(|part| part.0)).try_gather()?)
}

/// The columns of a file with uncommitted changes.
pub struct StatusColumns;

impl Row for StatusColumns {
    type Of<'a> = &'a FileStatus;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; that of a repository inside ends in a slash",
            |row, out| out.text(row.path.as_slice()),
        ),
        varchar("old_path", "The path that a renamed file had", |row, out| {
            out.text(row.old_path.as_deref())
        }),
        varchar(
            "index_status",
            "The change from HEAD to the index: added, deleted, modified, type_changed, renamed, unmerged",
            |row, out| out.text(row.index),
        ),
        varchar(
            "worktree_status",
            "The change from the index to the work tree: as above, or untracked or ignored",
            |row, out| out.text(row.work_tree),
        ),
        varchar(
            "conflict",
            "both_modified, both_added, both_deleted, or added_ or deleted_ by_us or by_them",
            |row, out| out.text(row.conflict),
        ),
        boolean("is_submodule", "Whether it is a submodule", |row| Some(row.is_submodule)),
        utinyint(
            "similarity",
            "Similarity of a renamed file to its old version, in percent",
            |row| row.similarity,
        ),
        varchar(
            "submodule_change",
            "The first difference in a submodule of the work tree: commits, content (of files), or untracked; else NULL",
            |row, out| out.text(row.submodule_change),
        ),
    ];
}

const RENAMES: Param<Flag> = flag("renames", true, "Detect renames");
const UNTRACKED: Param<Flag> =
    flag("untracked", true, "List files that are neither tracked nor ignored");
const IGNORED: Param<Flag> = flag("ignored", false, "List ignored files, as git's --ignored");

impl Question for StatusQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_status",
        family: Family::Git,
        grant: Grant::Tools(&["GitStatus"]),
        description: "Lists the files that git status lists: staged, changed, in conflict or untracked",
        example: "SELECT file_path, index_status, worktree_status FROM file_status('.')",
    };
    const PARAMETERS: &'static [Field] = fields![REPO];
    const NAMED: &'static [Field] = fields![RENAMES, UNTRACKED, IGNORED, PATHS];
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(file_status_list('.', {'untracked': false}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        Ok(Self {
            repo: args.owned(REPO)?,
            options: StatusOptions {
                paths: args.get(PATHS)?.unwrap_or_default(),
                renames: args.get(RENAMES)?.then(RenameOptions::default),
                untracked: args.get(UNTRACKED)?,
                ignored: args.get(IGNORED)?,
            },
        })
    }
}
