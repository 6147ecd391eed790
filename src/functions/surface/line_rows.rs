//! The columns that show a diff line by line, the same in every function.

use super::columns::{Col, Row, bigint, varchar};
use redline_query::diff_rows::{LineRow, LineRows};

impl Row for LineRows {
    type Of<'a> = LineRow<'a>;
    const IS_NUMBERED: bool = true;

    const OWN: &'static [Col<Self>] = &[
        bigint("seq", "The line's number in the diff, from 1", |row| row.number().into()),
        varchar("line_type", "CONTEXT, ADDED, REMOVED or BINARY, in upper case", |row, out| {
            out.text(row.line().line_type)
        }),
        varchar(
            "content",
            "The line without its newline; of a binary file, git's line that the files differ",
            |row, out| out.text(row.content()),
        ),
        bigint("old_line", "The line's number in the old content, from 1", |row| {
            row.line().old.into()
        }),
        bigint("new_line", "The line's number in the new content, from 1", |row| {
            row.line().new.into()
        }),
        bigint("hunk", "The number of its hunk, from 1", |row| row.line().hunk.into()),
    ];
}
