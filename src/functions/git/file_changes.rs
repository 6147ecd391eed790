//! `file_changes(from, to, repo)` and `file_changes_list(from, to, repo)`: the changed files.

use super::listed::Listed;
use super::numbered::{Numbered, push_rows};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison::{self, CallersWalk, NamedOptions, Revisions};
use crate::functions::surface::{
    Col, Declaration, Declared, Family, Grant, Row, RowGroup, Stream, col, needing,
};
use crate::git::{Entry, LineCounts, Measure, Measured};
use crate::pipeline::{Ordered, Weigh};
use crate::text::{CancelToken, DiffOptions};

/// What a column needs: the sizes of both contents.
const SIZES: u8 = 1;
/// What a column needs: the contents, compared line by line.
pub const LINES: u8 = 2;

impl Row for Measured {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        col(
            "file_path",
            Type::Varchar,
            "Path from the repository's root; of a deleted file, the old one",
            |row, out| {
                out.push_bytes(Some(&row.change.path));
            },
        ),
        col(
            "status",
            Type::Varchar,
            "added, deleted, modified, type_changed, renamed, copied or unmerged",
            |row, out| out.push_text(Some(row.change.status().name())),
        ),
        needing(
            SIZES,
            col(
                "old_size",
                Type::BigInt,
                "Bytes of the old content; NULL for a submodule or an absent side",
                |row, out| {
                    out.push_bigint(row.old_size.and_then(|bytes| i64::try_from(bytes).ok()));
                },
            ),
        ),
        needing(
            SIZES,
            col("new_size", Type::BigInt, "Bytes of the new content, likewise", |row, out| {
                out.push_bigint(row.new_size.and_then(|bytes| i64::try_from(bytes).ok()));
            }),
        ),
        col("old_path", Type::Varchar, "The path that a renamed or copied file had", |row, out| {
            out.push_bytes(row.change.origin.as_ref().map(|origin| origin.path.as_slice()));
        }),
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
                out.push_bigint(lines(row, LineCounts::additions));
            }),
        ),
        needing(
            LINES,
            col("deletions", Type::BigInt, "Removed lines; NULL for a binary file", |row, out| {
                out.push_bigint(lines(row, LineCounts::deletions));
            }),
        ),
        needing(
            LINES,
            col(
                "is_binary",
                Type::Boolean,
                "Whether the file is binary, by its attributes, its size or a NUL",
                |row, out| {
                    out.push_boolean(row.lines.map(|lines| lines == LineCounts::Binary));
                },
            ),
        ),
        col("old_mode", Type::Varchar, "The old mode, octal, as git prints it", |row, out| {
            out.push_text(mode(row.change.old).as_deref());
        }),
        col("new_mode", Type::Varchar, "The new mode, octal", |row, out| {
            out.push_text(mode(row.change.new).as_deref());
        }),
        col(
            "old_oid",
            Type::Varchar,
            "The object id of the old content, in hexadecimal",
            |row, out| {
                out.push_text(oid(row.change.old).as_deref());
            },
        ),
        col("new_oid", Type::Varchar, "The object id of the new content", |row, out| {
            out.push_text(oid(row.change.new).as_deref());
        }),
    ];
}

/// Returns added or removed lines, where they were counted.
pub fn lines(row: &Measured, of: fn(&LineCounts) -> Option<u64>) -> Option<i64> {
    row.lines.as_ref().and_then(of).and_then(|count| i64::try_from(count).ok())
}

fn mode(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.mode.to_string())
}

fn oid(entry: Option<Entry>) -> Option<String> {
    entry.map(|entry| entry.oid.to_string())
}

/// Returns what must be measured for columns that need these bits.
pub fn measure(needs: u8) -> Measure {
    Measure { sizes: needs & SIZES != 0, lines: needs & LINES != 0 }
}

impl Weigh for Measured {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len()
    }
}

impl RowGroup for Measured {
    type Row = Self;

    fn rows(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> &Self {
        self
    }
}

/// Starts the measuring of every change.
fn measured(
    revisions: &Revisions,
    measure: Measure,
    options: &DiffOptions,
    execution: &ExecutionContext,
) -> Result<Ordered<Measured>> {
    revisions.work(execution, |comparison| {
        let mut measurer = comparison.measurer(measure, options.clone());
        Ok(move |change, cancel: &CancelToken<'_>| measurer.measure(change, cancel))
    })
}

/// The table function.
pub struct FileChanges;

impl Declared for FileChanges {
    const DECLARATION: Declaration = Declaration {
        name: "file_changes",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiffSummary", "GitDiff"]),
        description: "The files that differ between two revisions, the index and the work tree, one row per file; the macro changes() needs no arguments",
        example: "SELECT file_path, status, additions, deletions FROM file_changes('HEAD~1', 'HEAD', '.')",
    };
}

/// A running scan.
pub enum Scan {
    /// Nothing is measured: the walk itself, on the thread that reads, and the projection.
    Unmeasured(CallersWalk, Vec<usize>),
    /// Measured by workers.
    Measured(Box<Stream<Measured>>),
}

impl TableFunction for FileChanges {
    const NAME: &'static str = "file_changes";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = Measured::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = (Revisions, DiffOptions);
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok((Revisions::bind(arguments, &named, Self::NAME)?, named.diff_options()?))
    }

    fn open((revisions, options): &Self::Bind, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        let measure = measure(Measured::COLUMNS.needs(open.projection));
        let is_measured = measure != Measure::default();
        let is_name = |&index: &usize| matches!(Self::COLUMNS[index].name, "file_path" | "status");
        let named = open.projection.iter().all(is_name).then(|| revisions.names_only());
        let revisions = named.as_ref().unwrap_or(revisions);
        if !is_measured && let Some(walk) = revisions.walk(&execution)? {
            return Ok(Scan::Unmeasured(walk, open.projection.to_vec()));
        }
        let rows = if is_measured {
            measured(revisions, measure, options, &execution)?
        } else {
            revisions.work(&execution, |_| {
                Ok(|change, _: &CancelToken<'_>| Ok(Measured::unmeasured(change)))
            })?
        };
        Ok(Scan::Measured(Box::new(Stream::new(rows, open.projection))))
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        match scan {
            Scan::Measured(rows) => rows.fill(batch),
            Scan::Unmeasured(walk, projection) => walk.fill(batch, |change, batch| {
                let row = Measured::unmeasured(change);
                Measured::COLUMNS.write_projected(&row, projection, batch.columns_mut());
            }),
        }
    }
}

impl Listed for FileChanges {
    const LIST_NAME: &'static str = "file_changes_list";
    const LIST_DESCRIPTION: &'static str =
        "The rows of file_changes as a list, for arguments that are columns";
    const LIST_EXAMPLE: &'static str = "SELECT unnest(file_changes_list('HEAD~1', 'HEAD', '.', {'renames': true}), recursive := true)";
    type Element = Numbered<Measured>;

    fn list(
        (revisions, options): &Self::Bind,
        execution: &ExecutionContext,
        out: &mut Column,
    ) -> Result<()> {
        let all = Measure { sizes: true, lines: true };
        push_rows(measured(revisions, all, options, execution)?, out)
    }
}
