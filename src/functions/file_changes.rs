//! `file_changes(from, to, repo)` and `file_changes_list(from, to, repo)`: the changed files.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::arguments::{required_text, row_text};
use super::host;
use crate::error::Result;
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::git::{Change, Entry, LineCounts, Measure, Measured, TreeChanges};
use crate::limits;
use crate::pipeline::{Ordered, Poll};
use crate::text::Stop;

/// The columns, in the order of SQL; the list has `seq` before them.
const FIELDS: [Field; 14] = [
    Field::new("seq", Type::BigInt),
    Field::new("file_path", Type::Varchar),
    Field::new("status", Type::Varchar),
    Field::new("old_size", Type::BigInt),
    Field::new("new_size", Type::BigInt),
    Field::new("old_path", Type::Varchar),
    Field::new("similarity", Type::UTinyInt),
    Field::new("additions", Type::BigInt),
    Field::new("deletions", Type::BigInt),
    Field::new("is_binary", Type::Boolean),
    Field::new("old_mode", Type::Varchar),
    Field::new("new_mode", Type::Varchar),
    Field::new("old_oid", Type::Varchar),
    Field::new("new_oid", Type::Varchar),
];

/// Returns what must be measured for the columns asked for, as indices into the table's columns.
fn measure(projection: &[usize]) -> Measure {
    let asked = |names: &[&str]| projection.iter().any(|&index| names.contains(&FileChanges::COLUMNS[index].name));
    Measure { sizes: asked(&["old_size", "new_size"]), lines: asked(&["additions", "deletions", "is_binary"]) }
}

/// Appends one value of a row; `index` is that of the table's columns.
fn push(column: &mut Column, index: usize, row: &Measured) {
    let Change { path, old, new } = &row.change;
    let size = |bytes: Option<u64>| bytes.and_then(|bytes| i64::try_from(bytes).ok());
    let lines =
        |of: fn(&LineCounts) -> Option<u64>| row.lines.as_ref().and_then(of).and_then(|n| i64::try_from(n).ok());
    let mode = |entry: &Option<Entry>| entry.map(|entry| entry.mode.to_string());
    let oid = |entry: &Option<Entry>| entry.map(|entry| entry.oid.to_string());
    match FileChanges::COLUMNS[index].name {
        "file_path" => column.push_bytes(Some(path)),
        "status" => column.push_text(Some(row.change.status().name())),
        "old_size" => column.push_bigint(size(row.old_size)),
        "new_size" => column.push_bigint(size(row.new_size)),
        "additions" => column.push_bigint(lines(LineCounts::additions)),
        "deletions" => column.push_bigint(lines(LineCounts::deletions)),
        "is_binary" => column.push_boolean(row.lines.map(|lines| lines == LineCounts::Binary)),
        "old_mode" => column.push_text(mode(old).as_deref()),
        "new_mode" => column.push_text(mode(new).as_deref()),
        "old_oid" => column.push_text(oid(old).as_deref()),
        "new_oid" => column.push_text(oid(new).as_deref()),
        // A rename's: NULL while none is looked for.
        "old_path" | "similarity" => column.push_null(),
        other => unreachable!("no column {other}"),
    }
}

/// What is compared.
pub struct Comparison {
    from: String,
    to: String,
    repo: String,
}

/// A stream of changed files in git's order.
enum Rows {
    /// Nothing is measured: the walk itself, on the thread that reads.
    Unmeasured(Box<TreeChanges>),
    /// Measured by workers.
    Measured(Ordered<Measured>),
}

impl Rows {
    fn start(comparison: &Comparison, measure: Measure, settings: &Settings) -> Result<Self> {
        let repository = host::open_repository(&comparison.repo, settings)?;
        let (from, to) = (repository.revision(&comparison.from)?, repository.revision(&comparison.to)?);
        let stop = Arc::new(AtomicBool::new(false));
        let changes = repository.changes(from, to, Arc::clone(&stop))?;
        if measure == Measure::default() {
            return Ok(Self::Unmeasured(Box::new(changes)));
        }
        let workers = (0..host::threads(settings))
            .map(|_| {
                let stop = Arc::clone(&stop);
                let mut measurer = repository.measurer(measure);
                move |change| measurer.measure(change, &Stop::when(&stop))
            })
            .collect();
        Ok(Self::Measured(Ordered::start(changes, workers, limits::WINDOW_JOBS, stop)?))
    }

    /// Returns the next row, waiting for it until `deadline` where one is given.
    fn poll(&mut self, deadline: Option<Instant>) -> Poll<Measured> {
        match self {
            Self::Unmeasured(changes) => match changes.next() {
                Some(change) => Poll::Ready(change.map(Measured::unmeasured)),
                None => Poll::End,
            },
            Self::Measured(rows) => rows.poll(deadline),
        }
    }
}

/// The table function.
pub struct FileChanges;

/// A running scan.
pub struct Scan {
    rows: Rows,
    projection: Vec<usize>,
}

impl TableFunction for FileChanges {
    const NAME: &'static str = "file_changes";
    const PARAMETERS: &'static [Field] =
        &[Field::new("from", Type::Varchar), Field::new("to", Type::Varchar), Field::new("repo", Type::Varchar)];
    const NAMED: &'static [Field] = &[];
    const COLUMNS: &'static [Field] = FIELDS.split_at(1).1;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Comparison;
    type Scan = Scan;

    fn bind(arguments: &[Value], _: &[Value]) -> Result<Comparison> {
        let text = |index: usize| required_text(&arguments[index], Self::NAME, Self::PARAMETERS[index].name);
        Ok(Comparison { from: text(0)?, to: text(1)?, repo: text(2)? })
    }

    fn open(comparison: &Comparison, open: Open<'_>) -> Result<Scan> {
        let rows = Rows::start(comparison, measure(open.projection), &open.settings)?;
        Ok(Scan { rows, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let until = Instant::now() + Duration::from_millis(limits::CHUNK_MILLIS);
        while !batch.is_full() {
            // An empty chunk would end the scan, so the first row is waited for.
            let deadline = (batch.rows() > 0).then_some(until);
            match scan.rows.poll(deadline) {
                Poll::Ready(row) => {
                    let row = row?;
                    for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                        push(column, index, &row);
                    }
                }
                Poll::Pending | Poll::End => break,
            }
        }
        Ok(())
    }
}

/// The scalar function that returns the rows as a list, for arguments that are columns.
pub struct FileChangesList;

impl ScalarFunction for FileChangesList {
    const NAME: &'static str = "file_changes_list";
    const OVERLOADS: &'static [Overload] = &[&[Type::Varchar, Type::Varchar, Type::Varchar]];
    const RETURNS: Type = Type::List(&Type::Struct(&FIELDS));
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Settings;

    fn open(settings: Settings) -> Result<Settings> {
        Ok(settings)
    }

    fn call(settings: &mut Settings, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let comparison = Comparison {
            from: row_text(arguments, 0, "from")?,
            to: row_text(arguments, 1, "to")?,
            repo: row_text(arguments, 2, "repo")?,
        };
        let mut rows = Rows::start(&comparison, Measure { sizes: true, lines: true }, settings)?;
        out.push_list(|elements| {
            let mut seq = 0;
            while let Poll::Ready(row) = rows.poll(None) {
                let row = row?;
                seq += 1;
                let (first, rest) = elements.fields_mut().split_first_mut().expect("the fields of FIELDS");
                first.push_bigint(Some(seq));
                for (index, column) in rest.iter_mut().enumerate() {
                    push(column, index, &row);
                }
            }
            Ok(())
        })
    }
}
