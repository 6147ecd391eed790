//! `approval_pages(payload, width, height)`: everything that a payload shows, page by page, each with a proof.

use super::shown::{PAYLOAD, known, shown_pages, too_large_to_read};
use crate::edit::Page;
use crate::error::Result;
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::context::execution_context::{self, ExecutionContext};
use crate::functions::surface::{Col, Declaration, Declared, Family, Grant, Row, col};

/// The scalar function.
pub struct ApprovalPages;

impl Declared for ApprovalPages {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Everything that a payload shows, page by page, each with a proof",
        example: "SELECT unnest(approval_pages(payload, 100, 40), recursive := true) FROM pending_approvals(getvariable('key'))",
    };
}

const WIDTH: Field = Field::new("width", Type::BigInt, "Columns of a page");
const HEIGHT: Field = Field::new("height", Type::BigInt, "Lines of a page");

/// A page: its place, how many there are, and what it shows.
pub struct PageRow;

impl Row for PageRow {
    type Of<'a> = (usize, usize, &'a Page);

    const OWN: &'static [Col<Self>] = &[
        col("page", Type::BigInt, "The page's number, from 1", |(index, ..), out| {
            out.push_bigint(i64::try_from(index + 1).ok());
        }),
        col("pages", Type::BigInt, "How many pages there are", |(_, count, _), out| {
            out.push_bigint(i64::try_from(count).ok());
        }),
        col("text", Type::Varchar, "What the page shows", |(.., page), out| {
            out.push_text(Some(&page.text))
        }),
        col(
            "proof",
            Type::Varchar,
            "Proves that this page and those before it were made",
            |(.., page), out| {
                out.push_text(Some(&page.proof.to_string()));
            },
        ),
    ];
}

impl ScalarFunction for ApprovalPages {
    const NAME: &'static str = "approval_pages";
    const OVERLOADS: &'static [Overload] = &[&[PAYLOAD, WIDTH, HEIGHT]];
    const RETURNS: Type = PageRow::LIST;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;
    type State = ExecutionContext;

    fn open(settings: Settings) -> Result<ExecutionContext> {
        ExecutionContext::new(settings)
    }

    fn call(
        execution: &mut ExecutionContext,
        arguments: Arguments<'_>,
        out: &mut Column,
    ) -> Result<()> {
        if arguments.text(0).is_none() {
            out.push_null();
            return Ok(());
        }
        let payload = known(arguments, Self::NAME)?;
        if payload.is_large() {
            return Err(too_large_to_read());
        }
        let size =
            |index| arguments.bigint(index).map_or(0, |given| usize::try_from(given).unwrap_or(0));
        let shown = shown_pages(execution, &payload, size(1), size(2))?;
        out.push_list(|elements| {
            for (index, page) in shown.iter().enumerate() {
                PageRow::COLUMNS.write_struct((index, shown.len(), page), elements);
            }
            Ok(())
        })
    }
}
