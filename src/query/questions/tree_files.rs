//! The files of a revision, the index or the work tree.

use crate::Question;
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{Query, Rows};
use crate::machinery::run::Context;
use crate::params::{PATHS, REPO, REVISION};
use redline_base::budget::TryGather;
use redline_base::error::Result;
use redline_git::{Change, Measure, Measured};
use redline_rows::params::Args;
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, fields, varchar,
};
use redline_text::{CancelToken, DiffOptions};

/// A query for the files of a side.
pub struct TreeFilesQuery(pub Revisions);

impl Query for TreeFilesQuery {
    /// Some files of the side, each as the change from nothing to it.
    type Group = Vec<Measured>;
    type Row = TreeFileColumns;

    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Vec<Measured>>> {
        let sizes = needs.has(Need::Sizes);
        let unmeasured = |change| vec![Measured::unmeasured(change)];
        if !sizes && let Some(rows) = self.0.walk(context, unmeasured)? {
            return Ok(rows);
        }
        self.0.work_in_batches(context, |comparison| {
            let measure = Measure { sizes, lines: false };
            let mut measurer = comparison.measurer(measure, DiffOptions::default());
            Ok(move |changes: Vec<Change>, cancel: &CancelToken<'_>| {
                let measured = |change| measurer.measure(change, cancel);
                changes.into_iter().map(measured).try_gather()
            })
        })
    }
}

/// The columns of a file of a tree.
pub struct TreeFileColumns;

impl Row for TreeFileColumns {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        varchar("file_path", "Path from the repository's root", |row, out| {
            out.text(row.change.path.as_slice())
        }),
        varchar(
            "kind",
            "file, executable, symlink or submodule; NULL for a conflict in the index",
            |row, out| out.text(row.change.new.map(|entry| entry.mode.kind_name())),
        ),
        varchar("mode", "The mode, octal, as git prints it", |row, out| {
            out.text(row.change.new.map(|entry| entry.mode.to_string()))
        }),
        bigint::<Self>("size", "Bytes of the content; NULL for a submodule", |row| {
            row.new_size.into()
        })
        .needing(&[Need::Sizes]),
        varchar(
            "oid",
            "The object id of the content, of a submodule that of its commit",
            |row, out| out.text(row.change.new.map(|entry| entry.oid.to_string())),
        ),
    ];
}

impl Question for TreeFilesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "tree_files",
        family: Family::Git,
        grant: Grant::Tools(&["list_files", "GitFile"]),
        description: "Lists the files of a revision, the index or the work tree, like git ls-tree -r -l",
        example: "SELECT file_path, size FROM tree_files('HEAD', '.') ORDER BY size DESC LIMIT 10",
    };
    const PARAMETERS: &'static [Field] = fields![REVISION, REPO];
    const NAMED: &'static [Field] = fields![PATHS];
    const LIST_EXAMPLE: &'static str =
        "SELECT unnest(tree_files_list('HEAD', '.', {'paths': '*.md'}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        let (rev, repo) = (args.owned(REVISION)?, args.owned(REPO)?);
        let paths = args.get(PATHS)?.unwrap_or_default();
        let all = Revisions::between("EMPTY".to_owned(), Some(rev), repo);
        Ok(Self(Revisions { paths, ..all }))
    }
}
