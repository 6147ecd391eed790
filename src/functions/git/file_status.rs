//! `file_status(repo)` and `file_status_list(repo)`: what `git status` lists.

use super::listed::Listed;
use super::numbered::Numbered;
use crate::error::{Error, Result};
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::arguments::required_text;
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, Rows, boolean, utinyint, varchar,
};
use crate::git::{FileStatus, RenameOptions, StatusOptions};
use crate::query::file_status::{StatusParts, StatusQuery};

impl Row for FileStatus {
    type Of<'a> = &'a Self;

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
            "What the index changes of HEAD: added, deleted, modified, type_changed, renamed, unmerged",
            |row, out| out.text(row.index),
        ),
        varchar(
            "worktree_status",
            "What the work tree changes of the index: as above, or untracked or ignored",
            |row, out| out.text(row.work_tree),
        ),
        varchar(
            "conflict",
            "both_modified, both_added, both_deleted, or added_ or deleted_ by_us or by_them",
            |row, out| out.text(row.conflict),
        ),
        boolean("is_submodule", "Whether it is a submodule", |row| Some(row.is_submodule)),
        utinyint("similarity", "How similar a renamed file is to what it was, in percent", |row| {
            row.similarity
        }),
    ];
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

/// A running scan: its parts, then its rows.
pub struct Scan {
    parts: Option<StatusParts>,
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
    type Bind = StatusQuery;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<StatusQuery> {
        let named = NamedOptions::new(Self::NAMED, named);
        let is_on = |name| named.get(name).as_boolean().unwrap_or(true);
        Ok(StatusQuery {
            repo: required_text(&arguments[0], Self::NAME, "repo")?,
            options: StatusOptions {
                paths: named.paths()?,
                renames: is_on("renames").then(RenameOptions::default),
                untracked: is_on("untracked"),
                ignored: named.boolean("ignored"),
            },
        })
    }

    fn open(query: &StatusQuery, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let parts = query.start(&execution)?;
        let projection = open.projection.to_vec();
        Ok(Scan { parts: Some(parts), rows: Rows::new([], &projection), projection })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        if let Some(parts) = scan.parts.take() {
            scan.rows = Rows::new(parts.joined()?, &scan.projection);
        }
        scan.rows.fill(batch);
        Ok(())
    }
}

impl Listed for FileStatusTable {
    const LIST_NAME: &'static str = "file_status_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_status as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(file_status_list('.', {'untracked': false}), recursive := true)";
    type Element = Numbered<FileStatus>;

    fn list(query: &StatusQuery, execution: &ExecutionContext, out: &mut Column) -> Result<()> {
        let rows = query.start(execution)?.joined()?;
        out.push_list(|elements| {
            for (seq, row) in (1..).zip(&rows) {
                Numbered::<FileStatus>::COLUMNS.write_struct((seq, row), elements);
            }
            Ok::<_, Error>(())
        })
    }
}
