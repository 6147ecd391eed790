//! `approval_pages(payload, width, height [, frame])`: a whole payload page by page, each page with a proof.

use super::shown::{PAYLOAD, known, shown_pages, too_large_to_read};
use crate::ffi::{Nulls, Overload};
use crate::functions::context::opened::Opened;
use crate::functions::params::{Args, Asked, Flag, Given, Kind, Param, fields, flag, required};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_edit::Page;
use redline_rows::{Col, ListOf, Out, Row, Type, Written, bigint, varchar};

/// The scalar function.
pub struct ApprovalPages;

/// The size of a page; NULL and negative sizes are 0, which is never valid.
struct Size;

impl Kind for Size {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = usize;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<usize> {
        Ok(usize::try_from(given.integer().unwrap_or_default()).unwrap_or(0))
    }

    fn read_null<'a>(_: Asked<'_>) -> Result<Self::Of<'a>> {
        Ok(0)
    }
}

const WIDTH: Param<Size> = required("width", "Columns of a page");
const HEIGHT: Param<Size> = required("height", "Lines of a page");
const FRAME: Param<Flag> =
    flag("frame", true, "Draw a frame; without one no line is padded, for the forms of clients");

/// A page: its number, the number of pages, and its text.
pub struct PageRow;

impl Row for PageRow {
    type Of<'a> = (usize, usize, &'a Page);

    const OWN: &'static [Col<Self>] = &[
        bigint("page", "The page's number, from 1", |(index, ..)| (index + 1).into()),
        bigint("pages", "How many pages there are", |(_, count, _)| count.into()),
        varchar("text", "The text of the page", |(.., page), out| out.text(page.text.as_str())),
        varchar(
            "proof",
            "Proves that this page and those before it were made",
            |(.., page), out| out.text(page.proof.to_string()),
        ),
    ];
}

impl Scalar for ApprovalPages {
    const DECLARATION: Declaration = Declaration {
        name: "approval_pages",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Returns everything that a payload shows, page by page, each with a proof",
        example: "SELECT unnest(approval_pages(payload, 100, 40), recursive := true) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![PAYLOAD, WIDTH, HEIGHT], fields![PAYLOAD, WIDTH, HEIGHT, FRAME]];
    type Returns = ListOf<PageRow>;
    type State = Opened;
    const NULLS: Nulls = Nulls::Handle;

    fn call(opened: &mut Opened, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(payload) = args.get(PAYLOAD)? else { return Ok(out.null()) };
        let payload = known(payload)?;
        if payload.is_large() {
            return Err(too_large_to_read());
        }
        let shown = shown_pages(
            &opened.execution,
            &payload,
            [args.get(WIDTH)?, args.get(HEIGHT)?],
            args.get(FRAME)?,
        )?;
        Ok(out.all(shown.iter().enumerate().map(|(index, page)| (index, shown.len(), page))))
    }
}
