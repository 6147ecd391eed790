//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the lines of one file's diff.

use super::arguments::{context, required_text, row_text};
use super::host;
use super::line_rows::{FIELDS, LineRows};
use crate::error::{Error, Result, quoted};
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::git::{Change, Contents, Named, Repository, Status};
use crate::text::{Diff, DiffOptions, Engine, Stop, quoted_path};

/// What is compared.
pub struct FileComparison {
    file: String,
    from: String,
    to: String,
    repo: String,
    options: DiffOptions,
}

/// A file that was found on one side or both, not yet read.
struct Found {
    repository: Repository,
    change: Change,
}

impl Found {
    fn find(comparison: &FileComparison, settings: &Settings) -> Result<Self> {
        let repository = host::open_repository(&comparison.repo, settings)?;
        let revisions = [repository.revision(&comparison.from)?, repository.revision(&comparison.to)?];
        let path = comparison.file.as_bytes();
        let named = [repository.find(revisions[0], path)?, repository.find(revisions[1], path)?];
        let [old, new] = named.map(Named::file);
        if old.is_none() && new.is_none() {
            let near = repository.nearest_paths(&comparison.file, revisions)?;
            return Err(no_file(comparison, named.contains(&Named::Folder), &near));
        }
        Ok(Self { repository, change: Change { path: path.to_vec(), old, new } })
    }

    /// Reads and compares both sides.
    fn rows(&self, options: &DiffOptions) -> Result<LineRows> {
        let Change { path, old, new } = &self.change;
        let mut rows = LineRows::default();
        if old == new {
            return Ok(rows);
        }
        let has_same_content = old.map(|entry| entry.oid) == new.map(|entry| entry.oid);
        let (old, new) = self.repository.reader().contents(&self.change)?;
        if self.change.status() == Status::TypeChanged {
            // As git shows it: one file deleted, another created.
            add(&mut rows, path, &old, &Contents::Absent, options)?;
            add(&mut rows, path, &Contents::Absent, &new, options)?;
        } else if !has_same_content {
            add(&mut rows, path, &old, &new, options)?;
        }
        Ok(rows)
    }
}

/// Appends the difference of two contents.
fn add(rows: &mut LineRows, path: &[u8], old: &Contents, new: &Contents, options: &DiffOptions) -> Result<()> {
    let (Some(old_text), Some(new_text)) = (old.text(), new.text()) else {
        let label = |contents: &Contents, prefix: &[u8]| match contents {
            Contents::Absent => b"/dev/null".to_vec(),
            _ => quoted_path(&[prefix, path].concat(), true).into_owned(),
        };
        let (old, new) = (label(old, b"a/"), label(new, b"b/"));
        rows.add_binary(&[b"Binary files ", &old[..], b" and ", &new, b" differ"].concat());
        return Ok(());
    };
    rows.add(&Diff::new(&mut Engine::default(), old_text, new_text, options, &Stop::never())?);
    Ok(())
}

fn no_file(comparison: &FileComparison, is_folder: bool, near: &[String]) -> Error {
    let FileComparison { file, from, to, .. } = comparison;
    let (file, from, to) = (quoted(file), quoted(from), quoted(to));
    if is_folder {
        return Error::not_found(format!("{file} is a folder, and file_diff wants a file"))
            .with_hint("file_changes(from, to, repo) lists the changed files below it");
    }
    let error = Error::not_found(format!("no file {file} in {from} or {to}"));
    match near {
        [] => error.with_hint("Paths start at the root of the repository; file_changes(from, to, repo) lists them"),
        near => error.with_hint(format!("Did you mean {}?", near.join(" or "))),
    }
}

/// The table function.
pub struct FileDiff;

/// A running scan.
pub struct Scan {
    found: Found,
    options: DiffOptions,
    /// Made by the first call of `fill`: DuckDB opens all scans of a query before it looks whether
    /// the query was cancelled.
    rows: Option<LineRows>,
    next: usize,
    projection: Vec<usize>,
}

impl TableFunction for FileDiff {
    const NAME: &'static str = "file_diff";
    const PARAMETERS: &'static [Field] = &[
        Field::new("file", Type::Varchar),
        Field::new("from", Type::Varchar),
        Field::new("to", Type::Varchar),
        Field::new("repo", Type::Varchar),
    ];
    const NAMED: &'static [Field] = &[Field::new("context", Type::BigInt)];
    const COLUMNS: &'static [Field] = &FIELDS;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = FileComparison;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<FileComparison> {
        let text = |index: usize| required_text(&arguments[index], Self::NAME, Self::PARAMETERS[index].name);
        let options = context(named[0].as_integer())?;
        Ok(FileComparison { file: text(0)?, from: text(1)?, to: text(2)?, repo: text(3)?, options })
    }

    fn open(comparison: &FileComparison, open: Open<'_>) -> Result<Scan> {
        let found = Found::find(comparison, &open.settings)?;
        let options = comparison.options.clone();
        Ok(Scan { found, options, rows: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let rows = match &mut scan.rows {
            Some(rows) => rows,
            none => none.insert(scan.found.rows(&scan.options)?),
        };
        while scan.next < rows.len() && !batch.is_full() {
            for (column, &field) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                rows.write(scan.next, field, column);
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
    const RETURNS: Type = Type::List(&Type::Struct(&FIELDS));
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Propagate;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = Settings;

    fn open(settings: Settings) -> Result<Settings> {
        Ok(settings)
    }

    fn call(settings: &mut Settings, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let comparison = FileComparison {
            file: row_text(arguments, 0, "file")?,
            from: row_text(arguments, 1, "from")?,
            to: row_text(arguments, 2, "to")?,
            repo: row_text(arguments, 3, "repo")?,
            options: context(arguments.bigint(4))?,
        };
        Found::find(&comparison, settings)?.rows(&comparison.options)?.write_list(out);
        Ok(())
    }
}
