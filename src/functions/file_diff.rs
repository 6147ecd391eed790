//! `file_diff(file, from, to, repo)` and `file_diff_list(…)`: the lines of one file's diff.

use super::arguments::{context, required_text, row_text};
use super::host;
use crate::error::{Error, Result, quoted};
use crate::ffi::{
    Arguments, Batch, Column, Field, Nulls, Open, Overload, ScalarFunction, Settings, TableFunction, Type, Value,
};
use crate::git::{Change, Contents, Named, Repository, Status};
use crate::text::{Diff, DiffLine, DiffOptions, Engine, LineKind, Stop, quoted_path};

const FIELDS: [Field; 6] = [
    Field::new("seq", Type::BigInt),
    Field::new("line_type", Type::Varchar),
    Field::new("content", Type::Varchar),
    Field::new("old_line", Type::BigInt),
    Field::new("new_line", Type::BigInt),
    Field::new("hunk", Type::BigInt),
];

/// What is compared.
pub struct FileComparison {
    file: String,
    from: String,
    to: String,
    repo: String,
    options: DiffOptions,
}

/// The lines of a file's diff; their contents lie end to end.
#[derive(Default)]
struct Lines {
    contents: Vec<u8>,
    rows: Vec<Row>,
}

struct Row {
    line_type: &'static str,
    /// Where the content ends; it starts where the one before ends.
    end: usize,
    old: Option<u32>,
    new: Option<u32>,
    hunk: Option<u32>,
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
    fn lines(&self, options: &DiffOptions) -> Result<Lines> {
        let Change { path, old, new } = &self.change;
        let mut lines = Lines::default();
        if old == new {
            return Ok(lines);
        }
        let has_same_content = old.map(|entry| entry.oid) == new.map(|entry| entry.oid);
        let (old, new) = self.repository.reader().contents(&self.change)?;
        if self.change.status() == Status::TypeChanged {
            // As git shows it: one file deleted, another created.
            lines.add(path, &old, &Contents::Absent, options)?;
            lines.add(path, &Contents::Absent, &new, options)?;
        } else if !has_same_content {
            lines.add(path, &old, &new, options)?;
        }
        Ok(lines)
    }
}

impl Lines {
    /// Appends the difference of two contents.
    fn add(&mut self, path: &[u8], old: &Contents, new: &Contents, options: &DiffOptions) -> Result<()> {
        let (Some(old_text), Some(new_text)) = (old.text(), new.text()) else {
            let label = |contents: &Contents, prefix: &[u8]| match contents {
                Contents::Absent => b"/dev/null".to_vec(),
                _ => quoted_path(&[prefix, path].concat(), true).into_owned(),
            };
            let text = [b"Binary files ", &label(old, b"a/")[..], b" and ", &label(new, b"b/"), b" differ"].concat();
            self.push("BINARY", &text, None, None, None);
            return Ok(());
        };
        let diff = Diff::new(&mut Engine::default(), old_text, new_text, options, &Stop::never())?;
        let before = self.rows.iter().filter_map(|row| row.hunk).max().unwrap_or(0);
        for (hunk, number) in diff.hunks().iter().zip(before + 1..) {
            for DiffLine { kind, content, old, new } in diff.lines(hunk) {
                let line_type = match kind {
                    LineKind::Context => "CONTEXT",
                    LineKind::Removed => "REMOVED",
                    LineKind::Added => "ADDED",
                };
                self.push(line_type, content.strip_suffix(b"\n").unwrap_or(content), old, new, Some(number));
            }
        }
        Ok(())
    }

    fn push(&mut self, line_type: &'static str, content: &[u8], old: Option<u32>, new: Option<u32>, hunk: Option<u32>) {
        self.contents.extend_from_slice(content);
        self.rows.push(Row { line_type, end: self.contents.len(), old, new, hunk });
    }

    /// Appends one value of a row to a column; indices are 0-based.
    fn write(&self, row: usize, field: usize, column: &mut Column) {
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        let Row { line_type, end, old, new, hunk } = &self.rows[row];
        match FIELDS[field].name {
            "seq" => column.push_bigint(i64::try_from(row + 1).ok()),
            "line_type" => column.push_text(Some(line_type)),
            "content" => column.push_bytes(Some(&self.contents[start..*end])),
            "old_line" => column.push_bigint(old.map(i64::from)),
            "new_line" => column.push_bigint(new.map(i64::from)),
            "hunk" => column.push_bigint(hunk.map(i64::from)),
            other => unreachable!("no column {other}"),
        }
    }
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
    lines: Option<Lines>,
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
        Ok(Scan { found, options, lines: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let lines = match &mut scan.lines {
            Some(lines) => lines,
            none => none.insert(scan.found.lines(&scan.options)?),
        };
        while scan.next < lines.rows.len() && !batch.is_full() {
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
        let lines = Found::find(&comparison, settings)?.lines(&comparison.options)?;
        out.push_list(|elements| {
            for row in 0..lines.rows.len() {
                for (field, column) in elements.fields_mut().iter_mut().enumerate() {
                    lines.write(row, field, column);
                }
            }
            Ok(())
        })
    }
}
