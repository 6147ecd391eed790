//! `file_patches(from, to, repo)` and `diff_hunks(from, to, repo)`: changes as git prints them.

use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::host::{self, Host};
use crate::functions::params::comparison::{self, Named, Revisions};
use crate::functions::surface::stream::{Grouped, Stream};
use crate::git::{Change, FilePatch, PatchHunk};
use crate::pipeline::{Ordered, Weigh};
use crate::text::{DiffOptions, Stop};

type Bind = (Revisions, DiffOptions);

fn bind(arguments: &[Value], named: &[Value], function: &str) -> Result<Bind> {
    let named = Named::new(&comparison::NAMED, named);
    Ok((Revisions::bind(arguments, &named, function)?, named.diff_options()?))
}

/// Starts the work: each change with its patch, made into a row or rows.
fn patches<G: Grouped>(
    (revisions, options): &Bind,
    host: &Host,
    row: fn(Change, FilePatch) -> G,
) -> Result<Ordered<G>> {
    revisions.work(host, |comparison| {
        let mut patcher = comparison.patcher(options.clone())?;
        Ok(move |change: Change, stop: &Stop<'_>| {
            let patch = patcher.patch(&change, stop)?;
            Ok(row(change, patch))
        })
    })
}

/// One row per changed file.
pub struct FilePatches;

/// A file's row.
pub struct PatchRow {
    change: Change,
    patch: FilePatch,
}

impl Weigh for PatchRow {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.change.path.len() + self.patch.bytes.len()
    }
}

impl Grouped for PatchRow {
    fn rows(&self) -> usize {
        1
    }

    fn write(&self, _: usize, column: usize, out: &mut Column) {
        match FilePatches::COLUMNS[column].name {
            "file_path" => out.push_bytes(Some(&self.change.path)),
            "status" => out.push_text(Some(self.change.status().name())),
            "old_path" => out.push_bytes(self.change.origin.as_ref().map(|origin| origin.path.as_slice())),
            "patch" => out.push_bytes(Some(&self.patch.bytes)),
            "patch_bytes" => out.push_blob(Some(&self.patch.bytes)),
            other => unreachable!("no column {other}"),
        }
    }
}

impl TableFunction for FilePatches {
    const NAME: &'static str = "file_patches";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = &[
        Field::new("file_path", Type::Varchar),
        Field::new("status", Type::Varchar),
        Field::new("old_path", Type::Varchar),
        Field::new("patch", Type::Varchar),
        Field::new("patch_bytes", Type::Blob),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Bind;
    type Scan = Stream<PatchRow>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Bind> {
        bind(arguments, named, Self::NAME)
    }

    fn open(bind: &Bind, open: Open<'_>) -> Result<Self::Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        let needs_patch = open.projection.iter().any(|&index| Self::COLUMNS[index].name.starts_with("patch"));
        let row = |change, patch| PatchRow { change, patch };
        let rows = if needs_patch {
            patches(bind, &host, row)?
        } else {
            bind.0.work(&host, |_| Ok(move |change, _: &Stop<'_>| Ok(row(change, FilePatch::default()))))?
        };
        Ok(Stream::new(rows, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}

/// One row per hunk of any file.
pub struct DiffHunks;

/// The hunks of a file.
pub struct HunkRows {
    path: Vec<u8>,
    patch: FilePatch,
}

impl Weigh for HunkRows {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.patch.bytes.len() + self.patch.hunks.len() * size_of::<PatchHunk>()
    }
}

impl Grouped for HunkRows {
    fn rows(&self) -> usize {
        self.patch.hunks.len()
    }

    fn write(&self, row: usize, column: usize, out: &mut Column) {
        let hunk = &self.patch.hunks[row];
        match DiffHunks::COLUMNS[column].name {
            "file_path" => out.push_bytes(Some(&self.path)),
            "hunk" => out.push_bigint(i64::try_from(row + 1).ok()),
            "old_start" => out.push_bigint(Some(hunk.old.0.into())),
            "old_lines" => out.push_bigint(Some(hunk.old.1.into())),
            "new_start" => out.push_bigint(Some(hunk.new.0.into())),
            "new_lines" => out.push_bigint(Some(hunk.new.1.into())),
            "section" => out.push_bytes(Some(&hunk.section)),
            "patch" => out.push_bytes(Some(&self.patch.bytes[hunk.span.clone()])),
            other => unreachable!("no column {other}"),
        }
    }
}

impl TableFunction for DiffHunks {
    const NAME: &'static str = "diff_hunks";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &comparison::NAMED;
    const COLUMNS: &'static [Field] = &[
        Field::new("file_path", Type::Varchar),
        Field::new("hunk", Type::BigInt),
        Field::new("old_start", Type::BigInt),
        Field::new("old_lines", Type::BigInt),
        Field::new("new_start", Type::BigInt),
        Field::new("new_lines", Type::BigInt),
        Field::new("section", Type::Varchar),
        Field::new("patch", Type::Varchar),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Bind;
    type Scan = Stream<HunkRows>;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Bind> {
        bind(arguments, named, Self::NAME)
    }

    fn open(bind: &Bind, open: Open<'_>) -> Result<Self::Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        let rows = patches(bind, &host, |change, patch| HunkRows { path: change.path, patch })?;
        Ok(Stream::new(rows, open.projection))
    }

    fn fill(scan: &mut Self::Scan, batch: &mut Batch) -> Result<()> {
        scan.fill(batch)
    }
}
