//! `approval_pieces(payload [, most])`: what a payload shows, as rows of pieces for whoever draws
//! it; `patch_pieces(patch)`: the same of a patch; `visible_pieces(text)`: the pieces of a name.

use super::approval_display::ANY_PAYLOAD;
use crate::ffi::{Nulls, Overload};
use crate::functions::params::{
    Args, Blob, Bytes, Maybe, Param, Text, bounded, fields, number, required,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_base::limits;
use redline_render::{ShownPiece, ShownRow, name_pieces, patch_rows, rows};
use redline_rows::{Col, HasList, ListOf, Out, Row, Written, bigint, boolean, structures, varchar};

bounded! {
    /// Pieces of a body.
    pub Most: BigInt as usize, 1.., "Give how many pieces the body may have, at least 1";
}

const MOST: Param<Most> =
    number("most", limits::PIECES as i64, "The most pieces of the lines; the rest is cut");
const PATCH: Param<Maybe<Bytes>> = required("patch", "A patch of git, of any number of files");
const PATCH_BYTES: Param<Maybe<Blob>> = required(PATCH.field.name, PATCH.field.doc);
const NAME: Param<Maybe<Text>> = required("text", "A name or a description, as one line");

/// A piece.
pub struct PieceRow;

impl Row for PieceRow {
    type Of<'a> = &'a ShownPiece<'static>;

    const OWN: &'static [Col<Self>] = &[
        varchar("kind", "plain, mark or number: how it is shown", |piece, out| {
            out.text(piece.kind.name())
        }),
        varchar("text", "What is shown", |piece, out| out.text(&*piece.text)),
        boolean("changed", "Whether the other side has no such words", |piece| {
            Some(piece.is_changed)
        }),
    ];
}

/// A row of what a payload shows.
pub struct LineRow;

impl Row for LineRow {
    type Of<'a> = &'a ShownRow;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "kind",
            "title, header, hunk, context, removed, added, remark, cut, warning or question",
            |row, out| out.text(row.kind),
        ),
        bigint("old_line", "Its number in the old file", |row| row.numbers[0].into()),
        bigint("new_line", "Its number in the new file", |row| row.numbers[1].into()),
        structures::<Self, PieceRow>("pieces", "Its text"),
    ];
}

impl HasList<PieceRow> for LineRow {
    fn list(row: &ShownRow, out: Out<'_, ListOf<PieceRow>>) -> Written {
        out.all(&row.pieces)
    }
}

/// `approval_pieces(payload [, most])`.
pub struct ApprovalPieces;

impl Scalar for ApprovalPieces {
    const DECLARATION: Declaration = Declaration {
        name: "approval_pieces",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Returns what a payload shows, as rows of pieces for a host that draws them",
        example: "SELECT unnest(approval_pieces(payload), recursive := true) FROM pending_approvals(getvariable('key'))",
    };
    const OVERLOADS: &'static [Overload] = &[fields![ANY_PAYLOAD], fields![ANY_PAYLOAD, MOST]];
    type Returns = ListOf<LineRow>;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(payload) = args.get(ANY_PAYLOAD)? else { return Ok(out.null()) };
        Ok(out.all(&rows(&payload, args.get(MOST)?)))
    }
}

/// `patch_pieces(patch)`. Total, so that DuckDB may fold and reorder it.
pub struct PatchPieces;

impl Scalar for PatchPieces {
    const DECLARATION: Declaration = Declaration {
        name: "patch_pieces",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Returns the lines of a patch as rows of pieces with nothing in them unseen, as approval_pieces has them",
        example: "SELECT unnest(patch_pieces(patch_bytes), recursive := true) FROM file_patches('HEAD~1', 'HEAD', '.')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![PATCH], fields![PATCH_BYTES]];
    type Returns = ListOf<LineRow>;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;
    const VOLATILE: bool = false;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(patch) = args.get(PATCH)? else { return Ok(out.null()) };
        Ok(out.all(&patch_rows(patch)))
    }
}

/// `visible_pieces(text)`. Total, so that DuckDB may fold and reorder it.
pub struct VisiblePieces;

impl Scalar for VisiblePieces {
    const DECLARATION: Declaration = Declaration {
        name: "visible_pieces",
        family: Family::Approvals,
        grant: Grant::Everybody,
        description: "Returns a name in pieces with nothing in it unseen, as approval_pieces has them",
        example: "SELECT visible_pieces('a  b')",
    };
    const OVERLOADS: &'static [Overload] = &[fields![NAME]];
    type Returns = ListOf<PieceRow>;
    type State = ();
    const NULLS: Nulls = Nulls::Handle;
    const VOLATILE: bool = false;

    fn call((): &mut (), args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let Some(text) = args.get(NAME)? else { return Ok(out.null()) };
        Ok(out.all(&name_pieces(text)))
    }
}
