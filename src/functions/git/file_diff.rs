//! `file_diff(file, from, to, repo)` and `diff_lines(from, to, repo)`, and the same as lists: diffs line by
//! line, of one file and of all.

use std::sync::Arc;

use super::line_rows::{self, LineRows};
use crate::budget::{Budget, Current};
use crate::error::Result;
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::functions::context::host::{self, Host};
use crate::functions::params::arguments::{required_text, row_text};
use crate::functions::params::comparison::{self, Named, Revisions};
use crate::functions::surface::stream::{Grouped, Stream};
use crate::git::{Change, Comparison, Reader};
use crate::pipeline::{Ordered, Poll, Weigh};
use crate::sandbox::read_restricted;
use crate::text::{Diff, DiffOptions, Engine, Stop};

/// What is compared.
pub struct FileComparison {
    file: String,
    revisions: Revisions,
    options: DiffOptions,
}

/// A file that was found on one side or both, not yet read.
struct Found {
    budget: Arc<Budget>,
    comparison: Comparison,
    changes: Vec<Change>,
}

impl Found {
    fn find(comparison: &FileComparison, host: &Host) -> Result<Self> {
        let sides = comparison.revisions.open(host)?;
        let names = ["file_diff", "file_changes(from, to, repo)"];
        let changes = comparison.revisions.file(&sides, &comparison.file, names)?;
        Ok(Self { budget: Arc::clone(&host.budget), comparison: sides, changes })
    }

    fn lines(&self, options: &DiffOptions) -> Result<LineRows> {
        let access = self.comparison.repository().access();
        read_restricted(access, || {
            let _current = Current::enter(&self.budget);
            Liner::new(&self.comparison, options).lines(&self.changes, &Stop::of(&self.budget))
        })
    }
}

/// Reads and compares the sides of changes for one thread.
struct Liner {
    reader: Reader,
    engine: Engine,
    options: DiffOptions,
}

impl Liner {
    fn new(comparison: &Comparison, options: &DiffOptions) -> Self {
        Self { reader: comparison.reader(), engine: Engine::default(), options: options.clone() }
    }

    fn lines(&mut self, changes: &[Change], stop: &Stop<'_>) -> Result<LineRows> {
        let mut lines = LineRows::default();
        for part in changes.iter().flat_map(Change::parts) {
            if part.has_same_content() {
                continue;
            }
            let (old, new) = self.reader.contents(&part)?;
            let (Some(old), Some(new)) = (old.text(), new.text()) else {
                if !part.is_empty_file() {
                    lines.add_binary(&self.reader.binary_line(&part));
                }
                continue;
            };
            let _held = stop.charge(old.len() + new.len())?;
            lines.add(&Diff::new(&mut self.engine, old, new, &self.options, stop)?, stop)?;
        }
        Ok(lines)
    }
}

/// The table function of one file.
pub struct FileDiff;

/// A running scan.
pub struct Scan {
    found: Found,
    options: DiffOptions,
    /// Made by the first call of `fill`: DuckDB opens all scans of a query before it looks whether
    /// the query was cancelled.
    lines: Option<LineRows>,
    next: usize,
    projection: Vec<usize>,
}

impl TableFunction for FileDiff {
    const NAME: &'static str = "file_diff";
    const PARAMETERS: &'static [Field] = &[
        Field::new("file", Type::Varchar),
        comparison::PARAMETERS[0],
        comparison::PARAMETERS[1],
        comparison::PARAMETERS[2],
    ];
    const NAMED: &'static [Field] = comparison::OPTIONS;
    const COLUMNS: &'static [Field] = &line_rows::FIELDS;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = FileComparison;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<FileComparison> {
        let named = Named::new(Self::NAMED, named);
        Ok(FileComparison {
            file: required_text(&arguments[0], Self::NAME, "file")?,
            revisions: Revisions::bind(&arguments[1..], &named, Self::NAME)?,
            options: named.diff_options()?,
        })
    }

    fn open(comparison: &FileComparison, open: Open<'_>) -> Result<Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        let found = host.read(|| Found::find(comparison, &host))?;
        let options = comparison.options.clone();
        Ok(Scan { found, options, lines: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let lines = match &mut scan.lines {
            Some(lines) => lines,
            none => none.insert(scan.found.lines(&scan.options)?),
        };
        while scan.next < lines.len() && !batch.is_full() {
            for (column, &field) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                lines.write(scan.next, field, column);
            }
            scan.next += 1;
        }
        Ok(())
    }
}

/// The scalar function that returns the rows as a list, for arguments that are columns.
pub struct FileDiffList;

impl ScalarFunction for FileDiffList {
    const NAME: &'static str = "file_diff_list";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Varchar, Type::BigInt],
    ];
    const RETURNS: Type = Type::List(&Type::Struct(&line_rows::FIELDS));
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
        let comparison = FileComparison {
            file: row_text(arguments, 0, "file")?,
            revisions: Revisions::of_row(arguments, 1)?,
            options: DiffOptions { context: comparison::context(arguments.bigint(4))?, ..DiffOptions::default() },
        };
        host.read(|| Found::find(&comparison, host))?.lines(&comparison.options)?.write_list(out);
        Ok(())
    }
}

/// `file_path`, then the columns of a line.
const FILE_FIELDS: [Field; 7] = [
    Field::new("file_path", Type::Varchar),
    line_rows::FIELDS[0],
    line_rows::FIELDS[1],
    line_rows::FIELDS[2],
    line_rows::FIELDS[3],
    line_rows::FIELDS[4],
    line_rows::FIELDS[5],
];

/// The table function of all files.
pub struct DiffLines;

/// The lines of one file.
pub struct FileLines {
    path: Vec<u8>,
    lines: LineRows,
}

impl Weigh for FileLines {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.path.len() + self.lines.bytes()
    }
}

impl Grouped for FileLines {
    fn rows(&self) -> usize {
        self.lines.len()
    }

    fn write(&self, row: usize, column: usize, out: &mut Column) {
        match column {
            0 => out.push_bytes(Some(&self.path)),
            column => self.lines.write(row, column - 1, out),
        }
    }
}

impl TableFunction for DiffLines {
    const NAME: &'static str = "diff_lines";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = &FILE_FIELDS;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = (Revisions, DiffOptions);
    type Scan = Stream<FileLines>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Self::Bind> {
        let named = Named::new(Self::NAMED, named);
        Ok((Revisions::bind(arguments, &named, Self::NAME)?, named.diff_options()?))
    }

    fn open((revisions, options): &Self::Bind, open: Open<'_>) -> Result<Self::Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        Ok(Stream::new(all_files(revisions, options, &host)?, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// Starts the diffs of all files.
fn all_files(revisions: &Revisions, options: &DiffOptions, host: &Host) -> Result<Ordered<FileLines>> {
    revisions.work(host, |comparison| {
        let mut liner = Liner::new(comparison, options);
        Ok(move |change: Change, stop: &Stop<'_>| {
            let lines = liner.lines(std::slice::from_ref(&change), stop)?;
            Ok(FileLines { path: change.path, lines })
        })
    })
}

/// The scalar function that returns the rows of all files as a list.
pub struct DiffLinesList;

impl ScalarFunction for DiffLinesList {
    const NAME: &'static str = "diff_lines_list";
    const OVERLOADS: &'static [Overload] =
        &[&[Type::Varchar, Type::Varchar, Type::Varchar], &[Type::Varchar, Type::Varchar, Type::Varchar, Type::BigInt]];
    const RETURNS: Type = Type::List(&Type::Struct(&FILE_FIELDS));
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
        let options = DiffOptions { context: comparison::context(arguments.bigint(3))?, ..DiffOptions::default() };
        let mut files = all_files(&revisions, &options, host)?;
        out.push_list(|elements| {
            while let Poll::Ready(file) = files.poll(None) {
                let file = file?;
                for row in 0..file.rows() {
                    for (index, column) in elements.fields_mut().iter_mut().enumerate() {
                        file.write(row, index, column);
                    }
                }
            }
            Ok(())
        })
    }
}
