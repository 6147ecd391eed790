//! Diffs line by line.

use std::ops::Range;

use crate::machinery::rows::RowGroup;
use redline_base::budget::{Charge, Grow, GrowBy, Weigh};
use redline_base::error::Result;
use redline_git::{COMBINED_BINARY_LINE, Change, Comparison, Reader, WrittenPatch, merged_texts};
use redline_rows::{Col, Row, bigint, varchar};
use redline_text::cancel_token::Stopped;
use redline_text::combined::{CombinedHunk, CombinedLine, marks};
use redline_text::{
    CancelToken, Combined, CombinedDiff, Diff, DiffLine, DiffOptions, Engine, LineKind,
};

/// A line: the rows of a file, and an index.
#[derive(Clone, Copy)]
pub struct LineRow<'a> {
    rows: &'a LineRows,
    index: usize,
}

impl<'a> LineRow<'a> {
    /// Returns the line's number in the diff, from 1.
    pub fn number(self) -> usize {
        self.index + 1
    }

    /// Returns the line's type and numbers.
    pub fn line(self) -> &'a TypedLine {
        &self.rows.lines[self.index]
    }

    /// Returns the marks of the line in a combined diff, one for each parent.
    pub fn marks(self) -> Option<&'a [u8]> {
        let parents = self.rows.parents;
        let first = self.index * parents;
        (parents > 0).then(|| self.rows.marks.get(first..first + parents)).flatten()
    }

    /// Returns the line without its newline.
    pub fn content(self) -> &'a [u8] {
        &self.rows.contents[self.line().content.clone()]
    }
}

/// The lines of a diff.
#[derive(Default)]
pub struct LineRows {
    /// A text that has the contents of all lines.
    contents: Vec<u8>,
    lines: Vec<TypedLine>,
    /// The marks of all lines of a combined diff, contiguous.
    marks: Vec<u8>,
    /// The number of parents of a combined diff.
    parents: usize,
    charge: Charge,
}

/// The type and the numbers of a line.
pub struct TypedLine {
    /// CONTEXT, ADDED, REMOVED or BINARY.
    pub line_type: &'static str,
    /// Where its content is, without the newline.
    content: Range<usize>,
    /// The line's number in the old content, from 1.
    pub old: Option<u32>,
    /// The line's number in the new content, from 1.
    pub new: Option<u32>,
    /// The number of its hunk, from 1.
    pub hunk: Option<u32>,
}

impl Weigh for LineRows {
    fn bytes(&self) -> usize {
        self.contents.len() + self.marks.len() + self.lines.len() * size_of::<TypedLine>()
    }
}

impl RowGroup for LineRows {
    type Of<'a> = LineRow<'a>;

    fn rows(&self) -> usize {
        self.lines.len()
    }

    fn row(&self, index: usize) -> LineRow<'_> {
        LineRow { rows: self, index }
    }
}

impl LineRows {
    /// Appends the lines of a diff, with hunk numbers that continue.
    pub fn add(
        &mut self,
        diff: &Diff<'_>,
        cancel: &CancelToken<'_>,
    ) -> std::result::Result<(), Stopped> {
        let mut pace = cancel.pace();
        let before = self.lines.last().and_then(|row| row.hunk).unwrap_or(0);
        for (hunk, number) in diff.hunks().iter().zip(before + 1..) {
            for DiffLine { kind, content, old, new } in diff.lines(hunk) {
                let line_type = line_type(kind);
                let content = content.strip_suffix(b"\n").unwrap_or(content);
                cancel.room(&mut self.charge, &mut self.contents, content.len())?;
                cancel.room(&mut self.charge, &mut self.lines, 1)?;
                self.push(line_type, content, old, new, Some(number));
                pace.pass(content.len())?;
            }
        }
        Ok(())
    }

    /// Returns the lines of the hunks of a patch, whose text keeps their contents.
    pub fn of_patch(
        patch: WrittenPatch,
        cancel: &CancelToken<'_>,
    ) -> std::result::Result<Self, Stopped> {
        let mut rows = Self { contents: patch.bytes, charge: patch.charge, ..Self::default() };
        let mut pace = cancel.pace();
        for (hunk, number) in patch.hunks.iter().zip(1..) {
            let [mut old, mut new] = [hunk.old.0, hunk.new.0];
            let text = &rows.contents[..hunk.span.end];
            let newlines = memchr::memchr_iter(b'\n', &text[hunk.span.start..]);
            let ends = newlines.map(|newline| hunk.span.start + newline);
            let mut ends = ends.peekable();
            while let (Some(before), Some(&end)) = (ends.next(), ends.peek()) {
                let start = before + 1;
                // A remark on a missing newline has no kind.
                let Some(kind) = LineKind::of(text[start]) else { continue };
                cancel.room(&mut rows.charge, &mut rows.lines, 1)?;
                rows.lines.push(TypedLine {
                    line_type: line_type(kind),
                    content: start + 1..end,
                    old: kind.is_old().then_some(old),
                    new: kind.is_new().then_some(new),
                    hunk: Some(number),
                });
                old += u32::from(kind.is_old());
                new += u32::from(kind.is_new());
                pace.pass(end - start)?;
            }
        }
        Ok(rows)
    }

    /// Adds the lines of a combined diff.
    pub fn add_combined(
        &mut self,
        diff: &CombinedDiff<'_>,
        hunks: &[CombinedHunk],
        cancel: &CancelToken<'_>,
    ) -> std::result::Result<(), Stopped> {
        let mut pace = cancel.pace();
        self.parents = diff.parents();
        for (hunk, number) in hunks.iter().zip(1..) {
            diff.each_line(hunk, |line| {
                cancel.room(&mut self.charge, &mut self.contents, line.content.len())?;
                cancel.room(&mut self.charge, &mut self.lines, 1)?;
                cancel.room(&mut self.charge, &mut self.marks, self.parents)?;
                self.marks.extend(marks(&line, self.parents));
                let CombinedLine { kind, content, old, new, .. } = line;
                self.push(line_type(kind), content, old, new, Some(number));
                pace.pass(content.len())
            })?;
        }
        Ok(())
    }

    /// Appends the row of a binary file.
    pub fn add_binary(&mut self, line: &[u8]) {
        self.push("BINARY", line, None, None, None);
    }

    fn push(
        &mut self,
        line_type: &'static str,
        content: &[u8],
        old: Option<u32>,
        new: Option<u32>,
        hunk: Option<u32>,
    ) {
        let start = self.contents.len();
        self.contents.add_slice(content);
        let content = start..self.contents.len();
        self.lines.add(TypedLine { line_type, content, old, new, hunk });
    }
}

fn line_type(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Context => "CONTEXT",
        LineKind::Removed => "REMOVED",
        LineKind::Added => "ADDED",
    }
}

/// Reads and compares the sides of changes for one thread.
pub struct Liner {
    reader: Reader,
    engine: Engine,
    options: DiffOptions,
    combined: Combined,
}

impl Liner {
    /// Creates a reader for one thread.
    pub fn new(comparison: &Comparison, options: &DiffOptions) -> Self {
        Self {
            reader: comparison.reader(),
            engine: Engine::default(),
            options: options.clone(),
            combined: comparison.combined.unwrap_or(Combined::Dense),
        }
    }

    /// Returns the diff lines of all parts of some changes.
    pub fn lines(&mut self, changes: &[Change], cancel: &CancelToken<'_>) -> Result<LineRows> {
        let mut lines = LineRows::default();
        if let [change] = changes
            && change.is_combined()
        {
            self.add_combined(change, &mut lines, cancel)?;
            return Ok(lines);
        }
        for part in changes.iter().flat_map(Change::parts) {
            if part.has_same_content() {
                continue;
            }
            let (old, new) = self.reader.contents(&part)?;
            let (Some(old), Some(new)) = (old.text(), new.text()) else {
                if !part.is_empty_file() {
                    lines.add_binary(&self.reader.binary_line(&part));
                }
                continue;
            };
            let _held = cancel.charge(old.len() + new.len())?;
            lines.add(&Diff::new(&mut self.engine, old, new, &self.options, cancel)?, cancel)?;
        }
        Ok(lines)
    }

    /// Adds the lines of a file in a merge.
    fn add_combined(
        &mut self,
        change: &Change,
        lines: &mut LineRows,
        cancel: &CancelToken<'_>,
    ) -> Result<()> {
        let Some(texts) = merged_texts(&mut self.reader, change)? else {
            lines.add_binary(COMBINED_BINARY_LINE);
            return Ok(());
        };
        if let Some(diff) = texts.diff(change, &mut self.engine, &self.options, cancel)? {
            let hunks = diff.hunks(self.combined, self.options.context, cancel)?;
            lines.add_combined(&diff, &hunks, cancel)?;
        }
        Ok(())
    }
}

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
