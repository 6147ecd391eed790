//! The files that differ between two sides.

use crate::Question;
use crate::machinery::revisions::Revisions;
use crate::machinery::rows::{OneRow, Query, Rows};
use crate::machinery::run::{Context, measure_of};
use crate::params::comparison;
use redline_base::error::Result;
use redline_git::{Entry, LineCounts, Measure, Measured};
use redline_rows::params::Args;
use redline_rows::{
    Col, Declaration, Family, Field, Grant, Need, Needs, Row, bigint, boolean, utinyint, varchar,
};
use redline_text::CancelToken;

/// A query for the changed files between two sides.
pub struct FileChangesQuery(pub Revisions);

impl OneRow for Measured {}

impl Query for FileChangesQuery {
    type Group = Measured;
    type Row = FileColumns;

    /// Starts measuring every change. Without measurements, the walk runs on the caller's thread if
    /// that is allowed, and if only names are needed, untracked files are not read.
    fn start(&self, context: &Context, needs: Needs) -> Result<Rows<Measured>> {
        let measure = measure_of(needs);
        let is_measured = measure != Measure::default();
        let is_named = !is_measured && !needs.has(Need::Details);
        let named = is_named.then(|| self.0.names_only());
        let revisions = named.as_ref().unwrap_or(&self.0);
        if !is_measured && let Some(rows) = revisions.walk(context, Measured::unmeasured)? {
            return Ok(rows);
        }
        revisions.work(context, |comparison| {
            let mut measurer = comparison.measurer(measure, self.0.diff.clone());
            Ok(move |change, cancel: &CancelToken<'_>| measurer.measure(change, cancel))
        })
    }
}

/// The columns of a changed file.
pub struct FileColumns;

impl Row for FileColumns {
    type Of<'a> = &'a Measured;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "file_path",
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| out.text(row.change.path.as_slice()),
        ),
        varchar(
            "status",
            "added, deleted, modified, type_changed, renamed, copied or unmerged",
            |row, out| out.text(row.change.status().name()),
        ),
        bigint::<Self>(
            "old_size",
            "Bytes of the old content; NULL for a submodule or an absent side",
            |row| row.old_size.into(),
        )
        .needing(&[Need::Sizes]),
        bigint::<Self>("new_size", "Bytes of the new content, likewise", |row| row.new_size.into())
            .needing(&[Need::Sizes]),
        varchar::<Self>("old_path", "The path that a renamed or copied file had", |row, out| {
            out.text(row.change.origin.as_ref().map(|origin| origin.path.as_slice()))
        })
        .needing(&[Need::Details]),
        utinyint::<Self>(
            "similarity",
            "Similarity of a renamed or copied file to its origin, in percent",
            |row| row.change.origin.as_ref().map(|origin| origin.similarity),
        )
        .needing(&[Need::Details]),
        bigint::<Self>("additions", "Added lines; NULL for a binary file", |row| {
            lines(row, LineCounts::additions).into()
        })
        .needing(&[Need::Lines]),
        bigint::<Self>("deletions", "Removed lines; NULL for a binary file", |row| {
            lines(row, LineCounts::deletions).into()
        })
        .needing(&[Need::Lines]),
        boolean::<Self>(
            "is_binary",
            "Whether the file is binary, by its attributes, its size or a NUL",
            |row| row.lines.map(|lines| lines == LineCounts::BINARY),
        )
        .needing(&[Need::Lines]),
        varchar::<Self>("old_mode", "The old mode, octal, as git prints it", |row, out| {
            out.text(mode(row.change.old))
        })
        .needing(&[Need::Details]),
        varchar::<Self>("new_mode", "The new mode, octal", |row, out| {
            out.text(mode(row.change.new))
        })
        .needing(&[Need::Details]),
        varchar::<Self>(
            "old_oid",
            "The object id of the old content, in hexadecimal",
            |row, out| out.text(oid(row.change.old)),
        )
        .needing(&[Need::Details]),
        varchar::<Self>("new_oid", "The object id of the new content", |row, out| {
            out.text(oid(row.change.new))
        })
        .needing(&[Need::Details]),
    ];
}

/// Returns the number of added or removed lines, if they were counted.
pub fn lines(row: &Measured, of: fn(&LineCounts) -> Option<u64>) -> Option<u64> {
    row.lines.as_ref().and_then(of)
}

fn mode(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.mode.to_string())
}

fn oid(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.oid.to_string())
}

impl Question for FileChangesQuery {
    const DECLARATION: Declaration = Declaration {
        name: "file_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffSummary"]),
        description: "Lists the files that differ between two revisions, the index and the work tree, one row per file; the macro changes() needs no arguments",
        example: "SELECT file_path, status, additions, deletions FROM file_changes('HEAD~1', 'HEAD', '.')",
    };
    const PARAMETERS: &'static [Field] = comparison::PARAMETERS;
    const NAMED: &'static [Field] = comparison::NAMED;
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_changes_list('HEAD~1', 'HEAD', '.', {'renames': true}), recursive := true)";
    type Query = Self;

    fn query(args: Args<'_>) -> Result<Self> {
        comparison::revisions(args).map(Self)
    }
}
