//! `diff_review(from, to, repo)`: a comparison within a budget of bytes, section by section.

use crate::error::Result;
use crate::ffi::{Batch, Field, Open, TableFunction, Type, Value};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::params::comparison;
use crate::functions::params::named_options::NamedOptions;
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, bigint, varchar};
use crate::limits;
use crate::query::review::{Request, Reviewed, RowsFrame};
use crate::review::Section;
use crate::tools;

/// The table function.
pub struct DiffReview;

/// A running scan.
pub struct Scan {
    execution: ExecutionContext,
    request: Request,
    /// Made by the first call of `fill`: DuckDB opens all scans of a query before it looks whether
    /// the query was cancelled.
    reviewed: Option<Reviewed>,
    next: usize,
    projection: Vec<usize>,
}

/// A section of a page.
#[derive(Clone, Copy)]
pub struct SectionRow<'a> {
    reviewed: &'a Reviewed,
    section: &'a Section,
}

impl Row for Reviewed {
    type Of<'a> = SectionRow<'a>;

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "summary, file, hunk or omitted", |row, out| {
            out.text(row.section.kind.name())
        }),
        varchar("file_path", "The file that it is about; NULL for none", |row, out| {
            out.text(row.section.file.map(|file| row.reviewed.rows[file].change.path.as_slice()))
        }),
        varchar("text", "What it says", |row, out| out.text(row.section.text.as_str())),
        bigint("bytes", "Bytes of text", |row| row.section.text.len().into()),
        varchar("next_cursor", "The cursor of the next page; NULL on the last", |row, out| {
            out.text(row.reviewed.page.next_cursor.as_deref())
        }),
    ];
}

/// The parameters of its own; those of a comparison stand before them.
const OWN: [Field; 2] = [
    Field::optional("max_bytes", Type::BigInt, "48000", "Bytes of the whole answer"),
    Field::optional("cursor", Type::Varchar, "NULL", "The next_cursor of the page before"),
];

impl Declared for DiffReview {
    const DECLARATION: Declaration = Declaration {
        name: "diff_review",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "A comparison within a budget of bytes: totals, files and hunks, page by page",
        example: "SELECT string_agg(text, '') FROM diff_review('HEAD~1', 'HEAD', '.', max_bytes := 10000)",
    };
}

impl TableFunction for DiffReview {
    const NAME: &'static str = "diff_review";
    const PARAMETERS: &'static [Field] = &comparison::PARAMETERS;
    const NAMED: &'static [Field] =
        &comparison::joined::<{ comparison::NAMED.len() + OWN.len() }>(&comparison::NAMED, &OWN);
    const COLUMNS: &'static [Field] = Reviewed::FIELDS;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type Bind = Request;
    type Scan = Scan;

    fn bind(arguments: &[Value], named: &[Value]) -> Result<Request> {
        let named = NamedOptions::new(Self::NAMED, named);
        Ok(Request {
            revisions: comparison::revisions(arguments, &named, Self::NAME)?,
            options: named.diff_options()?,
            file: None,
            has_hunks: true,
            max_bytes: tools::max_bytes(named.integer("max_bytes"), limits::REVIEW_BYTES)?,
            cursor: named.text("cursor").map(str::to_owned),
        })
    }

    fn open(request: &Request, open: Open<'_>) -> Result<Scan> {
        let execution = ExecutionContext::open::<Self>(open.settings)?;
        Ok(Scan {
            execution,
            request: request.clone(),
            reviewed: None,
            next: 0,
            projection: open.projection.to_vec(),
        })
    }

    fn fill(scan: &mut Scan, batch: &mut Batch) -> Result<()> {
        let reviewed = match &mut scan.reviewed {
            Some(reviewed) => reviewed,
            none => none.insert(scan.request.answer(&scan.execution, &RowsFrame)?),
        };
        while scan.next < reviewed.page.sections.len() && !batch.is_full() {
            let row = SectionRow { reviewed, section: &reviewed.page.sections[scan.next] };
            Reviewed::COLUMNS.write_projected(row, &scan.projection, batch.columns_mut());
            scan.next += 1;
        }
        Ok(())
    }
}
