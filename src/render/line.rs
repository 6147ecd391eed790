//! One line of a box: its tone, its emphasis, and its rows on a terminal.

use redline_base::budget::{Grow, GrowBy};
use std::ops::Range;

use super::visible::{Kind, Notes, Piece, Pieces};
use redline_edit::payload::NotUtf8;

/// The role of a line, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Plain text or a line of context.
    Plain,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// The heading of a hunk.
    Hunk,
    /// A remark about the text, not a part of it.
    Note,
    /// What is known of a file before its changed lines: its names and its permissions.
    Header,
    /// A warning.
    Warning,
    /// The title of the box.
    Title,
}

impl Tone {
    /// Returns the parameters of the terminal's colour sequence (ECMA-48, SGR); none for plain
    /// text.
    fn paint(self, kind: Kind, is_emphasised: bool) -> &'static str {
        match (self, kind, is_emphasised) {
            (_, Kind::Hidden, _) => "1;7;33",
            (Self::Added, _, true) => "7;32",
            (Self::Removed, _, true) => "7;31",
            (Self::Added, Kind::Plain, false) => "32",
            (Self::Removed, Kind::Plain, false) => "31",
            (Self::Added, Kind::Mark, false) => "2;32",
            (Self::Removed, Kind::Mark, false) => "2;31",
            (Self::Hunk, ..) => "36",
            (Self::Warning, ..) => "33",
            (Self::Title, ..) => "1",
            (Self::Note | Self::Header, ..) | (Self::Plain, Kind::Mark, _) => "2",
            (Self::Plain, Kind::Plain, _) => "",
        }
    }
}

/// A line before it is laid out.
#[derive(Debug)]
pub struct Line<'a> {
    /// The mark of the diff before the text: `+`, `-`, a space or nothing.
    pub mark: &'static str,
    /// The text, without a line feed.
    pub text: &'a str,
    pub tone: Tone,
    /// The bytes of `text` that are emphasised, in order.
    pub emphasis: Vec<Range<usize>>,
    /// The spaces of `text` that matter, in order.
    pub blanks: Vec<Range<usize>>,
    /// The numbers of the line in the old and in the new file, where it is in them.
    pub numbers: [Option<u64>; 2],
    /// The bytes that are not UTF-8 of the text that the line is of, and where it starts there.
    pub not_utf8: (&'a [NotUtf8], usize),
}

impl<'a> Line<'a> {
    /// Returns a line without a mark and emphasis.
    pub fn new(tone: Tone, text: &'a str) -> Self {
        Self {
            mark: "",
            text,
            tone,
            emphasis: Vec::new(),
            blanks: Vec::new(),
            numbers: [None; 2],
            not_utf8: (&[], 0),
        }
    }

    /// Returns its pieces, each with whether it is emphasised.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece<'_>, bool)> {
        let (not_utf8, start) = self.not_utf8;
        let mut emphasis = self.emphasis.iter().peekable();
        Pieces::with(self.text, Notes { blanks: &self.blanks, not_utf8, start }).map(move |piece| {
            while emphasis.next_if(|range| range.end <= piece.start).is_some() {}
            let is_emphasised = emphasis.peek().is_some_and(|range| range.contains(&piece.start));
            (piece, is_emphasised)
        })
    }

    /// Counts the characters that are not seen as themselves.
    pub fn hidden(&self) -> usize {
        self.pieces().filter(|(piece, _)| piece.kind == Kind::Hidden).count()
    }

    /// Tells whether it is redline's own, and no line of a file.
    const fn is_remark(&self) -> bool {
        matches!(self.tone, Tone::Note | Tone::Header)
    }

    /// Lays the line out in rows of at most `columns`.
    pub fn rows(&self, columns: usize, overflow: Overflow, color: bool) -> Vec<Row> {
        let mut rows = Vec::new();
        let is_remark = self.is_remark();
        let mut row = Row { is_remark, ..Row::default() };
        let mut paint = Paint { color, current: "" };
        if !self.mark.is_empty() {
            paint.set(&mut row, self.tone.paint(Kind::Plain, false));
            row.text.add_slice(self.mark);
            row.columns += self.mark.len();
        }
        for (piece, is_emphasised) in self.pieces() {
            if row.columns + piece.columns > columns {
                row.goes_on = true;
                if overflow == Overflow::Cut {
                    break;
                }
                paint.end(&mut row);
                rows.add(row);
                row = Row { is_continued: true, is_remark, ..Row::default() };
            }
            paint.set(&mut row, self.tone.paint(piece.kind, is_emphasised));
            row.text.add_slice(&piece.text);
            row.columns += piece.columns;
        }
        paint.end(&mut row);
        rows.add(row);
        rows
    }
}

/// The treatment of a line that is too wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Its end is cut.
    Cut,
    /// It is wrapped.
    Wrap,
}

/// A row of a terminal, or of a box without its frame.
#[derive(Debug, Default)]
pub struct Row {
    /// The printed text: colour sequences begin and end in it.
    pub text: String,
    /// Its width in columns.
    pub columns: usize,
    /// Whether it continues the row before.
    pub is_continued: bool,
    /// Whether the line continues after it: in the next row, or cut.
    pub goes_on: bool,
    /// Whether it is a remark about the text, which no text can imitate.
    pub is_remark: bool,
}

/// The current colour.
struct Paint {
    color: bool,
    current: &'static str,
}

impl Paint {
    fn set(&mut self, row: &mut Row, paint: &'static str) {
        if !self.color || paint == self.current {
            return;
        }
        self.end(row);
        if !paint.is_empty() {
            row.text.add_slice("\x1b[");
            row.text.add_slice(paint);
            row.text.add('m');
            self.current = paint;
        }
    }

    fn end(&mut self, row: &mut Row) {
        if !self.current.is_empty() {
            row.text.add_slice("\x1b[0m");
            self.current = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(line: &Line<'_>, columns: usize, overflow: Overflow, color: bool) -> Vec<String> {
        let rows = line.rows(columns, overflow, color);
        rows.into_iter()
            .map(|row| format!("{}{}", row.text, if row.goes_on { "…" } else { "" }))
            .collect()
    }

    #[test]
    fn a_line_is_cut_or_wrapped_at_the_last_column() {
        for (text, columns, cut, wrapped) in [
            ("", 4, "", &[""][..]),
            ("abcd", 4, "abcd", &["abcd"]),
            ("abcde", 4, "abcd…", &["abcd…", "e"]),
            ("日本語", 5, "日本…", &["日本…", "語"]),
            ("abe\u{301}", 3, "abe\u{301}", &["abe\u{301}"]),
            ("ab\te\u{301}", 4, "ab⇥ …", &["ab⇥ …", "e\u{301}"]),
            ("a\u{202e}b", 8, "a…", &["a…", "<U+202E>…", "b"]),
        ] {
            let line = Line::new(Tone::Plain, text);
            assert_eq!(rows(&line, columns, Overflow::Cut, false), [cut], "{text:?}");
            assert_eq!(rows(&line, columns, Overflow::Wrap, false), wrapped, "{text:?}");
        }
    }

    #[test]
    fn a_colour_ends_with_its_row_and_emphasis_with_its_word() {
        let line = Line {
            mark: "+",
            text: "one two  three ",
            tone: Tone::Added,
            emphasis: std::iter::once(4..7).collect(),
            ..Line::new(Tone::Added, "")
        };
        assert_eq!(
            rows(&line, 20, Overflow::Cut, true),
            ["\x1b[32m+one \x1b[0m\x1b[7;32mtwo\x1b[0m\x1b[32m  three\x1b[0m\x1b[2;32m␣\x1b[0m"]
        );
        assert_eq!(
            rows(&line, 7, Overflow::Wrap, true),
            [
                "\x1b[32m+one \x1b[0m\x1b[7;32mtw\x1b[0m…",
                "\x1b[7;32mo\x1b[0m\x1b[32m  thre\x1b[0m…",
                "\x1b[32me\x1b[0m\x1b[2;32m␣\x1b[0m"
            ]
        );
        assert_eq!(
            rows(&line, 7, Overflow::Cut, true),
            ["\x1b[32m+one \x1b[0m\x1b[7;32mtw\x1b[0m…"]
        );
        let context = Line { mark: " ", ..Line::new(Tone::Plain, "") };
        assert_eq!(rows(&context, 7, Overflow::Cut, true), [" "]);
    }
}
