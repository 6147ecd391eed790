//! `approval_display` and `approval_paging`: an approval payload as a person sees it.
//!
//! A payload can be malformed, so both can raise and are volatile: otherwise DuckDB would call them
//! on values that are in no row. They read only their arguments and belong to no tool.

use super::shown::PAYLOAD;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::{
    Args, Asked, Flag, Given, Kind, Maybe, Param, bounded, fields, flag, number, optional, required,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::{Error, Result};
use redline_base::limits;
use redline_edit::payload::Received;
use redline_render::{Extent, Layout, paging, shown};
use redline_rows::{Boolean, Out, Type, Varchar, Written};

/// The default width: that of a classic terminal.
const WIDTH: i64 = 80;

bounded! {
    /// Columns of a terminal.
    pub Columns: BigInt as usize, limits::DISPLAY_COLUMNS, {
        let columns = limits::DISPLAY_COLUMNS;
        format!("Give {} to {} columns", columns.start(), columns.end())
    };
    /// Lines of a terminal.
    pub Lines: BigInt as u64, 1.., "Give the lines of the terminal, or leave it out";
}

/// The layout of a payload.
pub struct LayoutOption;

impl Kind for LayoutOption {
    const TYPE: Type = Type::BigInt;
    type Of<'a> = Extent;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<Extent> {
        let lines = given.integer().unwrap_or_default();
        Ok(usize::try_from(lines).map_or(Extent::Whole, Extent::Lines))
    }
}

/// The payload, which is a column of the shown rows, so it is read whatever it holds.
pub struct AnyPayload;

impl Kind for AnyPayload {
    const TYPE: Type = Type::Varchar;
    type Of<'a> = Received;

    fn read(given: Given<'_>, _: Asked<'_>) -> Result<Received> {
        Received::parse(&String::from_utf8_lossy(given.text().unwrap_or_default()))
    }
}

pub(super) const ANY_PAYLOAD: Param<Maybe<AnyPayload>> =
    required(PAYLOAD.field.name, PAYLOAD.field.doc);
const COLUMNS: Param<Columns> = number("width", WIDTH, "Columns of the terminal");
const HEIGHT: Param<Maybe<LayoutOption>> =
    optional("height", "Lines; NULL is a preview, a negative number everything");
const COLOR: Param<Flag> = flag("color", false, "Use ANSI colours");
const TERMINAL_HEIGHT: Param<Maybe<Lines>> = optional("terminal_height", "Lines of the terminal");

/// Returns the layout in the arguments.
fn layout(args: Args<'_>) -> Result<Layout> {
    Ok(Layout {
        width: args.get(COLUMNS)?,
        extent: args.get(HEIGHT)?.unwrap_or(Extent::Preview),
        color: args.get(COLOR)?,
        is_framed: true,
    })
}

/// `approval_display(payload [, width [, height [, color]]])`: the box for a terminal.
pub struct ApprovalDisplay;

impl Scalar for ApprovalDisplay {
    const DECLARATION: Declaration = Declaration {
        name: "approval_display",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Draws a payload as the box that a terminal shows",
        example: "SELECT approval_display(payload, 100) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![ANY_PAYLOAD],
        fields![ANY_PAYLOAD, COLUMNS],
        fields![ANY_PAYLOAD, COLUMNS, HEIGHT],
        fields![ANY_PAYLOAD, COLUMNS, HEIGHT, COLOR],
    ];
    type Returns = Varchar;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let layout = layout(args)?;
        let text = args.get(ANY_PAYLOAD)?.map(|payload| shown(&payload, &layout).text);
        if let Some(text) = text.as_ref().filter(|text| text.len() > limits::VALUE_BYTES) {
            return Err(Error::too_large(format!("the display has {} bytes", text.len()))
                .with_hint("A value has at most 4 GiB; give a height"));
        }
        Ok(out.text(text))
    }
}

/// `approval_complete(payload [, width [, height]])`: whether `approval_display` with the same
/// arguments leaves nothing out.
pub struct ApprovalComplete;

impl Scalar for ApprovalComplete {
    const DECLARATION: Declaration = Declaration {
        name: "approval_complete",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Tells whether approval_display with the same arguments leaves nothing out",
        example: "SELECT approval_complete(payload, 100) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[
        fields![ANY_PAYLOAD],
        fields![ANY_PAYLOAD, COLUMNS],
        fields![ANY_PAYLOAD, COLUMNS, HEIGHT],
    ];
    type Returns = Boolean;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Boolean>) -> Result<Written> {
        let layout = layout(args)?;
        let payload = args.get(ANY_PAYLOAD)?;
        Ok(out.truth(payload.map(|payload| shown(&payload, &layout).is_complete)))
    }
}

/// `approval_paging(payload [, terminal_height])`: `inline`, `preview` or `pager`.
pub struct ApprovalPaging;

impl Scalar for ApprovalPaging {
    const DECLARATION: Declaration = Declaration {
        name: "approval_paging",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Tells how a payload fits a terminal: inline, preview or pager",
        example: "SELECT approval_paging(payload, 40) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] =
        &[fields![ANY_PAYLOAD], fields![ANY_PAYLOAD, TERMINAL_HEIGHT]];
    type Returns = Varchar;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Varchar>) -> Result<Written> {
        let height = args.get(TERMINAL_HEIGHT)?;
        let payload = args.get(ANY_PAYLOAD)?;
        Ok(out.text(payload.map(|payload| paging(&payload, height).name())))
    }
}
