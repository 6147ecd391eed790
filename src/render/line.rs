//! One line of a box: its tone, its emphasis, and its rows on a terminal.

use redline_base::budget::{Grow, GrowBy, Taken};
use std::borrow::Cow;
use std::ops::Range;

use super::visible::{Kind, Notes, Piece, Pieces, blanks_of_name};
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
    /// Whether tabs stay tabs where they do not end the line.
    pub keeps_tabs: bool,
}

/// Characters of a line that are shown in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPiece<'a> {
    /// How they are shown: as they are, by a mark or by a number.
    pub kind: Kind,
    /// Whether the other side of the change does not have them.
    pub is_changed: bool,
    /// What is shown for them.
    pub text: Cow<'a, str>,
}

impl ShownPiece<'_> {
    /// Returns it with a text of its own.
    pub fn owned(self) -> ShownPiece<'static> {
        ShownPiece { text: Cow::Owned(self.text.taken()), ..self }
    }
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
            keeps_tabs: false,
        }
    }

    /// Returns a line that has a name: what would be overlooked in one is marked.
    pub fn name(tone: Tone, text: &'a str) -> Self {
        Self { blanks: blanks_of_name(text), ..Self::new(tone, text) }
    }

    /// Returns its pieces, each with whether it is emphasised.
    pub fn pieces(&self) -> impl Iterator<Item = (Piece<'_>, bool)> {
        let (not_utf8, start) = self.not_utf8;
        let mut emphasis = self.emphasis.iter().peekable();
        let notes = Notes { blanks: &self.blanks, not_utf8, start, keeps_tabs: self.keeps_tabs };
        Pieces::with(self.text, notes).map(move |piece| {
            while emphasis.next_if(|range| range.end <= piece.start).is_some() {}
            let is_emphasised = emphasis.peek().is_some_and(|range| range.contains(&piece.start));
            (piece, is_emphasised)
        })
    }

    /// Returns its pieces, neighbours that are shown in the same way as one.
    pub fn shown(&self) -> impl Iterator<Item = ShownPiece<'_>> {
        let whole = (self.is_plain() && !self.text.is_empty()).then_some(self.text);
        let pieces = whole.is_none().then(|| self.pieces());
        let mut pieces = pieces.into_iter().flatten().peekable();
        let joined = std::iter::from_fn(move || {
            let (first, is_changed) = pieces.next()?;
            let kind = first.kind;
            let mut shown = ShownPiece { kind, is_changed, text: first.text };
            while let Some((next, _)) =
                pieces.next_if(|(next, is)| (next.kind, *is) == (kind, is_changed))
            {
                shown.text.to_mut().add_slice(&next.text);
            }
            Some(shown)
        });
        let plain =
            |text| ShownPiece { kind: Kind::Plain, is_changed: false, text: Cow::Borrowed(text) };
        whole.map(plain).into_iter().chain(joined)
    }

    /// Tells quickly whether it is one plain piece: most lines are.
    fn is_plain(&self) -> bool {
        let is_plain = |byte| match byte {
            b'<' => false,
            b'\t' => self.keeps_tabs,
            byte => matches!(byte, b' '..=b'~'),
        };
        self.emphasis.is_empty()
            && self.blanks.is_empty()
            && self.text.bytes().all(is_plain)
            && !self.text.ends_with([' ', '\t'])
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn neighbours_that_are_shown_in_the_same_way_are_one_piece(
            text in "[ a-c<\t]{0,12}|([ \tab<E9>⇥日\u{301}\u{202e}\u{fffd}]){0,16}",
            keeps_tabs in any::<bool>(),
            range in 0_usize..9,
        ) {
            let emphasis = if range < 8 && range < text.len() { vec![range..range + 2] } else { Vec::new() };
            let line = Line { emphasis, keeps_tabs, ..Line::new(Tone::Added, &text) };
            let shown: Vec<_> = line.shown().collect();
            let flat = shown.iter().flat_map(|piece| {
                piece.text.chars().map(move |c| (piece.kind, piece.is_changed, c))
            });
            let pieces = line.pieces().flat_map(|(piece, is_changed)| {
                piece.text.chars().map(|c| (piece.kind, is_changed, c)).collect::<Vec<_>>()
            });
            prop_assert!(flat.eq(pieces));
            let alike = |pair: &[ShownPiece<'_>]| (pair[0].kind, pair[0].is_changed) == (pair[1].kind, pair[1].is_changed);
            prop_assert!(!shown.windows(2).any(alike));
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
