//! `file_changes(from, to, repo)` and `file_changes_list(from, to, repo)`: the changed files.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::functions::context::host::{self, Host};
use crate::functions::params::comparison::{self, Named, Revisions};
use crate::functions::surface::stream::{Grouped, Stream};
use crate::git::{Change, Changes, Entry, LineCounts, Measure, Measured};
use crate::pipeline::{Ordered, Poll, Weigh};
use crate::text::{DiffOptions, Stop};

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
pub fn measure(projection: &[usize]) -> Measure {
    let asked = |names: &[&str]| projection.iter().any(|&index| names.contains(&FileChanges::COLUMNS[index].name));
    Measure { sizes: asked(&["old_size", "new_size"]), lines: asked(&["additions", "deletions", "is_binary"]) }
}

/// Appends one value of a row; `index` is that of the table's columns.
pub fn push(column: &mut Column, index: usize, row: &Measured) {
    let Change { path, old, new, origin, .. } = &row.change;
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
        "old_path" => column.push_bytes(origin.as_ref().map(|origin| origin.path.as_slice())),
        "similarity" => column.push_utinyint(origin.as_ref().map(|origin| origin.similarity)),
        other => unreachable!("no column {other}"),
    }
}

impl Weigh for Measured {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len()
    }
}

impl Grouped for Measured {
    fn rows(&self) -> usize {
        1
    }

    fn write(&self, _: usize, column: usize, out: &mut Column) {
        push(out, column, self);
    }
}

/// Starts the measuring of every change.
fn measured(revisions: &Revisions, measure: Measure, options: &DiffOptions, host: &Host) -> Result<Ordered<Measured>> {
    revisions.work(host, |comparison| {
        let mut measurer = comparison.measurer(measure, options.clone());
        Ok(move |change, stop: &Stop<'_>| measurer.measure(change, stop))
    })
}

/// The table function.
pub struct FileChanges;

/// A running scan.
pub enum Scan {
    /// Nothing is measured: the walk itself, on the thread that reads, and the projection.
    Unmeasured(Changes, Vec<usize>),
    /// Measured by workers.
    Measured(Box<Stream<Measured>>),
}

impl TableFunction for FileChanges {
    const NAME: &'static str = "file_changes";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = FIELDS.split_at(1).1;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = (Revisions, DiffOptions);
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = Named::new(Self::NAMED, named);
        Ok((Revisions::bind(arguments, &named, Self::NAME)?, named.diff_options()?))
    }

    fn open((revisions, options): &Self::Bind, open: Open<'_>) -> Result<Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        let measure = measure(open.projection);
        let is_measured = measure != Measure::default();
        let is_name = |&index: &usize| matches!(Self::COLUMNS[index].name, "file_path" | "status");
        let named = open.projection.iter().all(is_name).then(|| revisions.names_only());
        let revisions = named.as_ref().unwrap_or(revisions);
        if !is_measured && let Some(changes) = revisions.walk(&host)? {
            return Ok(Scan::Unmeasured(changes, open.projection.to_vec()));
        }
        let rows = if is_measured {
            measured(revisions, measure, options, &host)?
        } else {
            revisions.work(&host, |_| Ok(|change, _: &Stop<'_>| Ok(Measured::unmeasured(change))))?
        };
        Ok(Scan::Measured(Box::new(Stream::new(rows, open.projection))))
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        match scan {
            Scan::Measured(rows) => rows.fill(batch),
            Scan::Unmeasured(changes, projection) => {
                while !batch.is_full()
                    && let Some(change) = changes.next()
                {
                    let row = Measured::unmeasured(change?);
                    for (column, &index) in batch.columns_mut().iter_mut().zip(projection.iter()) {
                        push(column, index, &row);
                    }
                }
                Ok(())
            }
        }
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
    type State = Host;

    fn budget(host: &Host) -> Option<&Arc<Budget>> {
        Some(&host.budget)
    }

    fn open(settings: Settings) -> Result<Host> {
        Host::open(Self::NAME, settings)
    }

    fn call(host: &mut Host, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let revisions = Revisions::of_row(arguments, 0)?;
        let all = Measure { sizes: true, lines: true };
        let mut rows = measured(&revisions, all, &DiffOptions::default(), host)?;
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
