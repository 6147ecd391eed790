//! The columns that show a diff line by line, the same in every function.

use std::convert::Infallible;

use super::columns::{Col, Row, col};
use crate::ffi::{Column, Type};
use crate::query::diff_rows::{LineRow, LineRows};

impl Row for LineRows {
    type Of<'a> = LineRow<'a>;

    const OWN: &'static [Col<Self>] = &[
        col("seq", Type::BigInt, "The line's number in the diff, from 1", |row, out| {
            out.push_bigint(i64::try_from(row.number()).ok());
        }),
        col(
            "line_type",
            Type::Varchar,
            "CONTEXT, ADDED, REMOVED or BINARY, in upper case",
            |row, out| {
                out.push_text(Some(row.line().line_type));
            },
        ),
        col(
            "content",
            Type::Varchar,
            "The line without its newline; of a binary file, git's line that the files differ",
            |row, out| {
                out.push_bytes(Some(row.content()));
            },
        ),
        col(
            "old_line",
            Type::BigInt,
            "The line's number in the old content, from 1",
            |row, out| {
                out.push_bigint(row.line().old.map(i64::from));
            },
        ),
        col(
            "new_line",
            Type::BigInt,
            "The line's number in the new content, from 1",
            |row, out| {
                out.push_bigint(row.line().new.map(i64::from));
            },
        ),
        col("hunk", Type::BigInt, "The number of its hunk, from 1", |row, out| {
            out.push_bigint(row.line().hunk.map(i64::from));
        }),
    ];
}

/// Appends all lines as one list.
pub fn write_list(lines: &LineRows, out: &mut Column) {
    let Ok(()) = out.push_list(|elements| {
        (0..lines.len())
            .for_each(|index| LineRows::COLUMNS.write_struct(lines.row(index), elements));
        Ok::<(), Infallible>(())
    });
}
