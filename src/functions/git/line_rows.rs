//! The rows that show a diff line by line, the same in every function.

use std::convert::Infallible;

use crate::budget::Charge;
use crate::ffi::{Column, Field, Type};
use crate::text::stop::Stopped;
use crate::text::{Diff, DiffLine, LineKind, Stop};

/// The columns of a line.
pub const FIELDS: [Field; 6] = [
    Field::new("seq", Type::BigInt),
    Field::new("line_type", Type::Varchar),
    Field::new("content", Type::Varchar),
    Field::new("old_line", Type::BigInt),
    Field::new("new_line", Type::BigInt),
    Field::new("hunk", Type::BigInt),
];

/// Lines of a diff; their contents lie end to end.
#[derive(Default)]
pub struct LineRows {
    contents: Vec<u8>,
    rows: Vec<Row>,
    charge: Charge,
}

struct Row {
    line_type: &'static str,
    /// Where the content ends; it starts where the one before ends.
    end: usize,
    old: Option<u32>,
    new: Option<u32>,
    hunk: Option<u32>,
}

impl LineRows {
    /// Returns how many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns what they take in memory.
    pub fn bytes(&self) -> usize {
        self.contents.len() + self.rows.len() * size_of::<Row>()
    }

    /// Appends the lines of a diff, as hunks after those before.
    pub fn add(&mut self, diff: &Diff<'_>, stop: &Stop<'_>) -> Result<(), Stopped> {
        let mut pace = stop.pace();
        let before = self.rows.last().and_then(|row| row.hunk).unwrap_or(0);
        for (hunk, number) in diff.hunks().iter().zip(before + 1..) {
            for DiffLine { kind, content, old, new } in diff.lines(hunk) {
                let line_type = match kind {
                    LineKind::Context => "CONTEXT",
                    LineKind::Removed => "REMOVED",
                    LineKind::Added => "ADDED",
                };
                let content = content.strip_suffix(b"\n").unwrap_or(content);
                stop.room(&mut self.charge, &mut self.contents, content.len())?;
                stop.room(&mut self.charge, &mut self.rows, 1)?;
                self.push(line_type, content, old, new, Some(number));
                pace.pass(content.len())?;
            }
        }
        Ok(())
    }

    /// Appends the row that stands for a binary file.
    pub fn add_binary(&mut self, line: &[u8]) {
        self.push("BINARY", line, None, None, None);
    }

    fn push(&mut self, line_type: &'static str, content: &[u8], old: Option<u32>, new: Option<u32>, hunk: Option<u32>) {
        self.contents.extend_from_slice(content);
        self.rows.push(Row { line_type, end: self.contents.len(), old, new, hunk });
    }

    /// Appends one value of a row to a column; `row` and `field` are 0-based.
    pub fn write(&self, row: usize, field: usize, column: &mut Column) {
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        let Row { line_type, end, old, new, hunk } = &self.rows[row];
        match FIELDS[field].name {
            "seq" => column.push_bigint(i64::try_from(row + 1).ok()),
            "line_type" => column.push_text(Some(line_type)),
            "content" => column.push_bytes(Some(&self.contents[start..*end])),
            "old_line" => column.push_bigint(old.map(i64::from)),
            "new_line" => column.push_bigint(new.map(i64::from)),
            "hunk" => column.push_bigint(hunk.map(i64::from)),
            other => unreachable!("no column {other}"),
        }
    }

    /// Appends all rows as one list.
    pub fn write_list(&self, out: &mut Column) {
        let Ok(()) = out.push_list(|elements| {
            for row in 0..self.len() {
                for (field, column) in elements.fields_mut().iter_mut().enumerate() {
                    self.write(row, field, column);
                }
            }
            Ok::<(), Infallible>(())
        });
    }
}
