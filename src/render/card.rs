//! The box: a title, a body that may be cut, warnings and a question.

use super::diff;
use super::line::{Line, Overflow, Row, Tone};
use super::visible::{Pieces, blanks_of_name};
use redline_base::budget::{Gather, Grow, Joined};
use redline_base::form::counted;
use redline_base::limits;

/// Columns of the frame around the text: a border and two spaces, a space and a border. The spaces
/// next to the text hold the mark of a continued line.
const FRAME: usize = 5;

/// The rendered box of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The box and its question.
    pub text: String,
    /// Whether the box shows the whole operation: nothing is cut, left out, scrolled off the screen
    /// or unknown.
    pub is_complete: bool,
}

/// The same columns without a frame: both before the text.
const MARGINS: usize = 2;

/// Lines of the body that are shown even on a low terminal.
const LEAST_LINES: usize = 3;

/// The mark of a continued line, in columns that are never used by text.
const GOES_ON: char = '…';

/// The layout of a box.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The maximum width of a line in columns, within `limits::DISPLAY_COLUMNS`.
    pub width: usize,
    /// How much of the body is shown.
    pub extent: Extent,
    /// Whether colour sequences (SGR) are written.
    pub color: bool,
    /// Whether there is a frame around the text. Without one no row is padded: for the forms of
    /// clients, which wrap a row that is wider than they are.
    pub is_framed: bool,
}

/// How much of a body is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A preview of a content or the whole of a diff; wide lines are cut.
    Preview,
    /// As much of that as fits in a box of this many lines, and at least three lines.
    Lines(usize),
    /// Everything, for a pager: the whole content; wide lines are wrapped. There is no question.
    Whole,
}

/// The content of a box.
pub struct Card<'a> {
    /// `Edit`, `Write` or `Read`.
    pub action: &'static str,
    /// The given path.
    pub path: &'a str,
    /// The text in brackets after the path.
    pub facts: String,
    /// The body.
    pub body: Vec<Line<'a>>,
    /// Lines of the text that the body begins; a remark on its end follows them.
    pub lines: usize,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
    /// The question without its answers.
    pub question: &'static str,
    /// The answer that shows more.
    pub view: Option<View>,
}

/// The answer that shows more.
#[derive(Clone, Copy)]
pub struct View {
    /// `v(iew all)`.
    pub answer: &'static str,
    /// Whether it shows only the body, so that it is not offered if the body is complete.
    pub is_in_the_box: bool,
}

impl Card<'_> {
    /// Emphasises the words of the body that differ.
    pub fn emphasise(&mut self) {
        let body = std::mem::take(&mut self.body).into_iter();
        self.body = diff::emphasised(body, &mut { limits::EMPHASIS_TOTAL_BYTES }).gather();
    }

    /// Draws the box, the warnings and the question, without a final line feed.
    pub fn draw(mut self, layout: &Layout) -> Shown {
        let text_columns = layout.width - if layout.is_framed { FRAME } else { MARGINS };
        let (title, heading) = match layout.is_framed {
            true => self.title(layout),
            false => (String::new(), Vec::new()),
        };
        let plain_title = self.plain_title(layout);
        let warnings: Vec<String> =
            self.warnings.iter().flat_map(|text| words(Tone::Warning, text, layout)).gather();
        let asking = self.asking(false, layout).len();
        let around = 3
            + plain_title.len().max(1)
            + heading.len()
            + usize::from(!heading.is_empty())
            + warnings.len()
            + asking;
        let limit = match layout.extent {
            Extent::Lines(height) => height.saturating_sub(around).max(LEAST_LINES),
            Extent::Preview | Extent::Whole => usize::MAX,
        };
        let (body, is_whole) = self.body(limit, text_columns, layout);

        let mut lines = plain_title;
        if layout.is_framed {
            let blank = Row::default();
            lines.add_all([title, boxed(&blank, text_columns)]);
            for part in [heading, body].into_iter().filter(|part| !part.is_empty()) {
                lines.add_all(part.iter().chain([&blank]).map(|row| boxed(row, text_columns)));
            }
            lines.add(format!("└{}┘", "─".repeat(layout.width - 2)));
        } else {
            lines.add_all(std::iter::once(String::new()).chain(body.iter().map(unboxed)));
            lines.add(String::new());
        }
        lines.add_all(warnings);
        let fits = match layout.extent {
            // The top of a taller box has scrolled off the screen when the question is read.
            Extent::Lines(height) => lines.len() + asking <= height,
            Extent::Preview | Extent::Whole => true,
        };
        let is_complete = is_whole && fits;
        lines.add_all(self.asking(is_complete, layout));
        Shown { text: lines.joined("\n"), is_complete }
    }

    /// Returns the title as one line, and where its path is in it.
    pub fn title_line(&self) -> (String, usize) {
        (format!("{}: {} ({})", self.action, self.path, self.facts), self.action.len() + 2)
    }

    /// Returns the rows of the title without a frame; none with one.
    fn plain_title(&self, layout: &Layout) -> Vec<String> {
        if layout.is_framed {
            return Vec::new();
        }
        let (title, at) = self.title_line();
        let rows = self.named(&title, at).rows(layout.width - 1, Overflow::Wrap, layout.color);
        let mark = |is_continued| if is_continued { "…" } else { "" };
        let row = |row: &Row| format!("{}{}", mark(row.is_continued), row.text);
        rows.iter().map(row).gather()
    }

    /// Returns a line of the title that has the path at a place.
    pub fn named<'t>(&self, text: &'t str, at: usize) -> Line<'t> {
        let blanks = blanks_of_name(self.path);
        let blanks = blanks.into_iter().map(|range| range.start + at..range.end + at).gather();
        Line { blanks, ..Line::new(Tone::Title, text) }
    }

    /// Returns the upper border, and the rows of the path if it does not fit there: a path is never
    /// cut, as its end could matter.
    fn title(&self, layout: &Layout) -> (String, Vec<Row>) {
        let rows_of = |line: Line<'_>| line.rows(layout.width - 6, Overflow::Wrap, layout.color);
        let rows = |text: &str| rows_of(Line::new(Tone::Title, text));
        let border = |title: &Row| {
            format!("┌─ {} {}┐", title.text, "─".repeat(layout.width - 5 - title.columns))
        };
        let (whole, at) = self.title_line();
        if let [title] = rows_of(self.named(&whole, at)).as_slice() {
            return (border(title), Vec::new());
        }
        let mut heading = rows_of(self.named(&whole[at..], 0));
        if heading.len() > 1 {
            heading = rows_of(self.named(self.path, 0));
            heading.add_all(rows(&format!("({})", self.facts)));
        }
        (border(&rows(self.action)[0]), heading)
    }

    /// Returns at most `limit` rows of the body, including a remark on omitted lines; and whether
    /// nothing is omitted.
    fn body(&mut self, limit: usize, columns: usize, layout: &Layout) -> (Vec<Row>, bool) {
        let overflow = if layout.extent == Extent::Whole { Overflow::Wrap } else { Overflow::Cut };
        self.emphasise();
        let mut shown = self.body.len().min(limit);
        loop {
            let lines = &self.body[..shown];
            let rows: Vec<Row> =
                lines.iter().flat_map(|line| line.rows(columns, overflow, layout.color)).gather();
            let whole = shown.min(self.lines);
            let cut = if overflow == Overflow::Cut {
                rows.iter().filter(|row| row.goes_on).count()
            } else {
                0
            };
            let remark = match (whole < self.lines || shown < self.body.len(), cut) {
                (false, 0) => return (rows, true),
                (false, _) => format!("... ({} cut at the edge)", counted(cut as u64, "line")),
                (true, 0) => format!("... (showing {whole} of {} lines)", self.lines),
                (true, _) => {
                    format!("... (showing {whole} of {} lines, {cut} cut at the edge)", self.lines)
                }
            };
            let remark = Line::new(Tone::Note, &remark).rows(columns, Overflow::Wrap, layout.color);
            let over = (rows.len() + remark.len()).saturating_sub(limit);
            if over == 0 || shown <= 1 {
                return (rows.into_iter().chain(remark).gather(), false);
            }
            shown = shown.saturating_sub(over).max(1);
        }
    }

    /// Returns the rows of the question with its answers; none for a pager.
    fn asking(&self, is_whole: bool, layout: &Layout) -> Vec<String> {
        let answers = match self.view {
            _ if layout.extent == Extent::Whole => return Vec::new(),
            Some(view) if !is_whole => format!("n/{}", view.answer),
            Some(view) if !view.is_in_the_box => format!("y/n/{}", view.answer),
            _ => "y/n".to_owned(),
        };
        words(Tone::Plain, &format!("{} [{answers}]", self.question), layout)
    }
}

/// Returns a row with its borders; a remark begins at the border, where a text never does.
fn boxed(row: &Row, columns: usize) -> String {
    let mark = |shown| if shown { GOES_ON } else { ' ' };
    let (before, after) = (mark(row.is_continued), mark(row.goes_on));
    let border = if row.is_remark { "├─" } else { "│ " };
    format!("{border}{before}{}{}{after}│", row.text, " ".repeat(columns - row.columns))
}

/// Returns a row without borders: two columns before its text, which a remark begins with a line.
fn unboxed(row: &Row) -> String {
    let border = if row.is_remark { '─' } else { ' ' };
    let before = if row.is_continued { GOES_ON } else { ' ' };
    format!("{border}{before}{}", row.text)
}

/// Wraps a text into rows of the whole width, between words where possible.
pub fn words(tone: Tone, text: &str, layout: &Layout) -> Vec<String> {
    let columns = |line: &str| Pieces::of(line).map(|piece| piece.columns).sum::<usize>();
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        // Measured with the text before it: the width of a tab depends on its column.
        let joined = lines.last().map(|line| format!("{line} {word}"));
        match (joined, lines.last_mut()) {
            (Some(joined), Some(line)) if columns(&joined) <= layout.width => *line = joined,
            _ => lines.add(word.to_owned()),
        }
    }
    let rows = |line: &str| Line::new(tone, line).rows(layout.width, Overflow::Wrap, layout.color);
    lines.iter().flat_map(|line| rows(line)).map(|row| row.text).gather()
}
