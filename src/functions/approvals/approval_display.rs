//! `approval_display` and `approval_paging`: an approval payload as a person sees it.
//!
//! A payload can be malformed, so both can raise and are volatile: DuckDB would else call them on
//! values that are in no row. They read nothing but their arguments and stand behind no tool.

use super::shown::PAYLOAD;
use crate::edit::payload::Received;
use crate::error::{Error, Result};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::functions::surface::{Declaration, Declared, Family, Grant};
use crate::limits;
use crate::render::{Extent, Layout, display, paging, shown};

/// The width when none is given: that of a terminal of old.
const WIDTH: i64 = 80;

const COLUMNS: Field = Field::optional("width", Type::BigInt, "80", "Columns of the terminal");
const HEIGHT: Field = Field::optional(
    "height",
    Type::BigInt,
    "NULL",
    "Lines; NULL is a preview, a negative number everything",
);
const COLOR: Field = Field::optional("color", Type::Boolean, "false", "Use ANSI colours");
const TERMINAL_HEIGHT: Field =
    Field::optional("terminal_height", Type::BigInt, "NULL", "Lines of the terminal");

/// Returns the payload that is argument 0; `None` for NULL.
fn payload(arguments: Arguments<'_>) -> Result<Option<Received>> {
    let Some(bytes) = arguments.text(0) else { return Ok(None) };
    Received::parse(&String::from_utf8_lossy(bytes)).map(Some)
}

/// Returns the columns that were asked for; NULL is the default.
fn width(given: Option<i64>) -> Result<usize> {
    let width = given.unwrap_or(WIDTH);
    let columns = limits::DISPLAY_COLUMNS;
    usize::try_from(width).ok().filter(|_| columns.contains(&width)).ok_or_else(|| {
        Error::invalid_args(format!("width is {width}")).with_hint(format!(
            "Give {} to {} columns",
            columns.start(),
            columns.end()
        ))
    })
}

/// `approval_display(payload [, width [, height [, color]]])`: the box that a terminal shows.
pub struct ApprovalDisplay;

impl Declared for ApprovalDisplay {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "A payload as the box that a terminal shows",
        example: "SELECT approval_display(payload, 100) FROM pending_approvals(getvariable('key'))",
    };
}

impl ScalarFunction for ApprovalDisplay {
    const NAME: &'static str = "approval_display";
    const OVERLOADS: &'static [Overload] = &[
        &[PAYLOAD],
        &[PAYLOAD, COLUMNS],
        &[PAYLOAD, COLUMNS, HEIGHT],
        &[PAYLOAD, COLUMNS, HEIGHT, COLOR],
    ];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let layout = Layout { color: arguments.boolean(3).unwrap_or(false), ..layout(arguments)? };
        let shown = payload(arguments)?.map(|payload| display(&payload, &layout));
        if let Some(text) = shown.as_ref().filter(|text| text.len() > limits::VALUE_BYTES) {
            return Err(Error::too_large(format!("the display has {} bytes", text.len()))
                .with_hint("A value has at most 4 GiB; give a height"));
        }
        out.push_text(shown.as_deref());
        Ok(())
    }
}

/// Returns the layout that the arguments behind the payload ask for, without colours.
fn layout(arguments: Arguments<'_>) -> Result<Layout> {
    let extent = match arguments.bigint(2) {
        None => Extent::Preview,
        Some(lines) => usize::try_from(lines).map_or(Extent::Whole, Extent::Lines),
    };
    Ok(Layout { width: width(arguments.bigint(1))?, extent, color: false })
}

/// `approval_complete(payload [, width [, height]])`: whether `approval_display` with the same arguments leaves nothing
/// out.
pub struct ApprovalComplete;

impl Declared for ApprovalComplete {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Whether approval_display with the same arguments leaves nothing out",
        example: "SELECT approval_complete(payload, 100) FROM pending_approvals(getvariable('key'))",
    };
}

impl ScalarFunction for ApprovalComplete {
    const NAME: &'static str = "approval_complete";
    const OVERLOADS: &'static [Overload] =
        &[&[PAYLOAD], &[PAYLOAD, COLUMNS], &[PAYLOAD, COLUMNS, HEIGHT]];
    const RETURNS: Type = Type::Boolean;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let layout = layout(arguments)?;
        out.push_boolean(payload(arguments)?.map(|payload| shown(&payload, &layout).is_complete));
        Ok(())
    }
}

/// `approval_paging(payload [, terminal_height])`: `inline`, `preview` or `pager`.
pub struct ApprovalPaging;

impl Declared for ApprovalPaging {
    const DECLARATION: Declaration = Declaration {
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "How a payload fits a terminal: inline, preview or pager",
        example: "SELECT approval_paging(payload, 40) FROM pending_approvals(getvariable('key'))",
    };
}

impl ScalarFunction for ApprovalPaging {
    const NAME: &'static str = "approval_paging";
    const OVERLOADS: &'static [Overload] = &[&[PAYLOAD], &[PAYLOAD, TERMINAL_HEIGHT]];
    const RETURNS: Type = Type::Varchar;
    const VOLATILE: bool = true;
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = &[];
    type State = ();

    fn open(_: Settings) -> Result<()> {
        Ok(())
    }

    fn call((): &mut (), arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let height = arguments.bigint(1).map(|lines| {
            u64::try_from(lines).ok().filter(|lines| *lines > 0).ok_or_else(|| {
                Error::invalid_args(format!("terminal_height is {lines}"))
                    .with_hint("Give the lines of the terminal, or leave it out")
            })
        });
        let height = height.transpose()?;
        let payload = payload(arguments)?;
        out.push_text(payload.map(|payload| paging(&payload, height).name()));
        Ok(())
    }
}
