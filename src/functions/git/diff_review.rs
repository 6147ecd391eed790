//! `diff_review(from, to, repo)`: a comparison within a budget of bytes, section by section.

use super::review::{self, Request, Reviewed, TextFrame};
use crate::error::Result;
use crate::ffi::{Batch, Column, Field, Open, TableFunction, Type, Value};
use crate::functions::context::host::{self, Host};
use crate::functions::params::comparison::{self, Named, Revisions};

/// The table function.
pub struct DiffReview;

/// A running scan.
pub struct Scan {
    host: Host,
    request: Request,
    /// Made by the first call of `fill`: DuckDB opens all scans of a query before it looks whether
    /// the query was cancelled.
    reviewed: Option<Reviewed>,
    next: usize,
    projection: Vec<usize>,
}

impl Reviewed {
    fn write(&self, row: usize, column: usize, out: &mut Column) {
        let section = &self.page.sections[row];
        match DiffReview::COLUMNS[column].name {
            "kind" => out.push_text(Some(section.kind.name())),
            "file_path" => out.push_bytes(section.file.map(|file| self.rows[file].change.path.as_slice())),
            "text" => out.push_text(Some(&section.text)),
            "bytes" => out.push_bigint(i64::try_from(section.text.len()).ok()),
            "next_cursor" => out.push_text(self.page.next_cursor.as_deref()),
            other => unreachable!("no column {other}"),
        }
    }
}

const NAMED: [Field; 14] = {
    let mut all = [Field::new("max_bytes", Type::BigInt); 14];
    let mut index = 0;
    while index < comparison::NAMED.len() {
        all[index] = comparison::NAMED[index];
        index += 1;
    }
    all[index] = Field::new("cursor", Type::Varchar);
    all
};

impl TableFunction for DiffReview {
    const NAME: &'static str = "diff_review";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] = &NAMED;
    const COLUMNS: &'static [Field] = &[
        Field::new("kind", Type::Varchar),
        Field::new("file_path", Type::Varchar),
        Field::new("text", Type::Varchar),
        Field::new("bytes", Type::BigInt),
        Field::new("next_cursor", Type::Varchar),
    ];
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type Bind = Request;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Request> {
        let named = Named::new(Self::NAMED, named);
        Ok(Request {
            revisions: Revisions::bind(arguments, &named, Self::NAME)?,
            options: named.diff_options()?,
            file: None,
            has_hunks: true,
            max_bytes: review::max_bytes(named.integer("max_bytes"))?,
            cursor: named.text("cursor").map(str::to_owned),
        })
    }

    fn open(request: &Request, open: Open<'_>) -> Result<Scan> {
        let host = Host::open(Self::NAME, open.settings)?;
        Ok(Scan { host, request: request.clone(), reviewed: None, next: 0, projection: open.projection.to_vec() })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let reviewed = match &mut scan.reviewed {
            Some(reviewed) => reviewed,
            none => none.insert(scan.request.answer(&scan.host, &TextFrame)?),
        };
        while scan.next < reviewed.page.sections.len() && !batch.is_full() {
            for (column, &index) in batch.columns_mut().iter_mut().zip(&scan.projection) {
                reviewed.write(scan.next, index, column);
            }
            scan.next += 1;
        }
        Ok(())
    }
}
