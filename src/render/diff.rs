//! The lines of a unified diff for display: their tones, and the changed words.

use super::line::{Line, Tone};
use redline_base::budget::{Gather, Grow, Joined};
use redline_base::limits;
use redline_edit::payload::NotUtf8;
use redline_text::words::{WordChange, word_runs};

/// Returns the lines of a unified diff of one file, without its `---` and `+++` lines; `not_utf8`
/// are its bytes that are not UTF-8.
///
/// Other text (`Binary files a/x and b/x differ`) is a remark.
pub fn lines<'a>(diff: &'a str, not_utf8: &'a [NotUtf8]) -> Vec<Line<'a>> {
    let mut lines = all_lines(diff, not_utf8, false).peekable();
    for name in ["-- ", "++ "] {
        lines.next_if(|line| line.text.starts_with(name));
    }
    lines.gather()
}

/// Returns the lines of a git diff of several files, without the `---` and `+++` lines: the line
/// before them names the file, and a removed line cannot be mistaken for one of these.
pub fn lines_of_files<'a>(diff: &'a str, not_utf8: &'a [NotUtf8]) -> Vec<Line<'a>> {
    let is_name = |line: &Line<'_>| {
        line.tone == Tone::Header
            && (line.text.starts_with("--- ") || line.text.starts_with("+++ "))
    };
    all_lines(diff, not_utf8, true).filter(|line| !is_name(line)).gather()
}

/// Returns all lines of git's patch of files. Tabs stay tabs.
pub fn lines_of_patch<'a>(
    patch: &'a str,
    not_utf8: &'a [NotUtf8],
) -> impl Iterator<Item = Line<'a>> {
    all_lines(patch, not_utf8, true).map(|line| Line { keeps_tabs: true, ..line })
}

/// Returns the lines of a hunk, likewise.
pub fn lines_of_hunk<'a>(hunk: &'a str, not_utf8: &'a [NotUtf8]) -> impl Iterator<Item = Line<'a>> {
    all_lines(hunk, not_utf8, false).map(|line| Line { keeps_tabs: true, ..line })
}

fn all_lines<'a>(
    diff: &'a str,
    not_utf8: &'a [NotUtf8],
    mut is_in_header: bool,
) -> impl Iterator<Item = Line<'a>> {
    let mut numbers = [None; 2];
    diff.split_terminator('\n').map(move |text| {
        is_in_header |= text.starts_with("diff --git ");
        is_in_header &= !text.starts_with('@');
        match is_in_header {
            true => header(text, (diff, not_utf8)),
            false => line(text, &mut numbers, (diff, not_utf8)),
        }
    })
}

/// Returns a line before the hunks of a file. One that begins with a space is text, the message of
/// a commit, whose indentation nobody overlooks; the others have names.
fn header<'a>(text: &'a str, whole: (&'a str, &'a [NotUtf8])) -> Line<'a> {
    let named = if text.starts_with(' ') { Line::new } else { Line::name };
    Line { not_utf8: bytes_of(text, whole), ..named(Tone::Header, text) }
}

/// Returns the bytes that are not UTF-8 of a text, and where a part of it starts in it.
fn bytes_of<'a>(part: &str, (whole, not_utf8): (&'a str, &'a [NotUtf8])) -> (&'a [NotUtf8], usize) {
    (not_utf8, part.as_ptr().addr() - whole.as_ptr().addr())
}

/// Returns a line of a hunk, or its heading, which says the next `numbers` of both sides.
fn line<'a>(
    text: &'a str,
    numbers: &mut [Option<u64>; 2],
    whole: (&'a str, &'a [NotUtf8]),
) -> Line<'a> {
    let (mark, tone, sides) = match text.as_bytes().first() {
        Some(b'+') => ("+", Tone::Added, [false, true]),
        Some(b'-') => ("-", Tone::Removed, [true, false]),
        Some(b' ') => (" ", Tone::Plain, [true, true]),
        Some(b'@') => {
            *numbers = starts(text);
            return Line { not_utf8: bytes_of(text, whole), ..Line::new(Tone::Hunk, text) };
        }
        _ => return Line::new(Tone::Note, text),
    };
    let text = &text[1..];
    let mut line = Line { mark, not_utf8: bytes_of(text, whole), ..Line::new(tone, text) };
    for (side, is_there) in sides.into_iter().enumerate() {
        if is_there {
            line.numbers[side] = numbers[side];
            numbers[side] = numbers[side].map(|number| number + 1);
        }
    }
    line
}

/// Returns the first lines of a hunk: `@@ -1,5 +1,6 @@`.
fn starts(heading: &str) -> [Option<u64>; 2] {
    let mut words = heading.split(' ').skip(1);
    ['-', '+'].map(|sign| words.next()?.strip_prefix(sign)?.split(',').next()?.parse().ok())
}

/// Returns lines with the words emphasised that differ between removed lines and the added lines
/// after them. Of the lines only a block is held.
///
/// Blocks over `limits::EMPHASIS_BYTES`, those for which the `budget` of bytes has no room left, and
/// those with little in common are not emphasised.
pub fn emphasised<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    budget: &mut usize,
) -> impl Iterator<Item = Line<'a>> {
    let mut lines = lines.peekable();
    let mut ready = Vec::new().into_iter();
    let (mut block, mut length, mut side) = (Vec::new(), 0, None);
    std::iter::from_fn(move || {
        loop {
            if let Some(line) = ready.next() {
                return Some(line);
            }
            let after = lines.peek().and_then(|line| side_after(side, line.tone));
            let mut made = std::mem::take(&mut block);
            match (side, after) {
                (None, None) => return lines.next(),
                (Some(last), None) => {
                    if last == Tone::Added && length <= limits::EMPHASIS_BYTES.min(*budget) {
                        *budget -= length;
                        emphasise(&mut made);
                    }
                    (side, length) = (None, 0);
                    ready = made.into_iter();
                }
                (_, after) => {
                    let line = lines.next()?;
                    (side, length) = (after, length + line.text.len() + 1);
                    made.add(line);
                    // The lines of a block that is too large pass.
                    match length > limits::EMPHASIS_BYTES {
                        true => ready = made.into_iter(),
                        false => block = made,
                    }
                }
            }
        }
    })
}

/// Returns the side on which a line of a block stands, after `side`: removed lines, then added ones,
/// and the remark about a missing final line feed after either. `None` ends the block.
const fn side_after(side: Option<Tone>, tone: Tone) -> Option<Tone> {
    match (side, tone) {
        (None | Some(Tone::Removed), Tone::Removed) => Some(Tone::Removed),
        (Some(_), Tone::Added) => Some(Tone::Added),
        (side, Tone::Note) => side,
        _ => None,
    }
}

fn emphasise(block: &mut [Line<'_>]) {
    let side = |tone| {
        let texts: Vec<&str> =
            block.iter().filter(|line| line.tone == tone).map(|line| line.text).gather();
        texts.joined("\n")
    };
    let (old, new) = (side(Tone::Removed), side(Tone::Added));
    let runs = word_runs(&old, &new, None);
    let inked = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let common: usize =
        runs.iter().filter(|run| run.0 == WordChange::Equal).map(|run| inked(&run.1)).sum();
    if common * 4 < inked(&old).max(inked(&new)) {
        return;
    }
    for (tone, other) in [(Tone::Removed, WordChange::Insert), (Tone::Added, WordChange::Delete)] {
        let mut lines = block.iter_mut().filter(|line| line.tone == tone);
        let Some(mut line) = lines.next() else { continue };
        let mut at = 0;
        for (change, text) in runs.iter().filter(|run| run.0 != other) {
            for (index, part) in text.split('\n').enumerate() {
                if index > 0 {
                    let Some(next) = lines.next() else { break };
                    (line, at) = (next, 0);
                }
                if *change != WordChange::Equal && !part.is_empty() {
                    // A space that is a change of its own would be a coloured gap alone.
                    if part.trim().is_empty() {
                        line.blanks.add(at..at + part.len());
                    }
                    line.emphasis.add(at..at + part.len());
                }
                at += part.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emphasised(diff: &str) -> Vec<String> {
        let lines = lines(diff, &[]).into_iter();
        let marked = |line: Line<'_>| {
            let mut text = line.text.to_owned();
            for range in line.emphasis.iter().rev() {
                text.replace_range(range.clone(), &format!("[{}]", &line.text[range.clone()]));
            }
            format!("{}{text}", line.mark)
        };
        super::emphasised(lines, &mut { limits::EMPHASIS_TOTAL_BYTES }).map(marked).collect()
    }

    #[test]
    fn only_the_words_that_differ_are_emphasised() {
        for (diff, expected) in [
            ("", &[][..]),
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-total = 0\n+total = Decimal('0')\n",
                &["@@ -1 +1 @@", "-total = 0", "+total = [Decimal(']0[')]"],
            ),
            (
                "@@ -1,3 +1,2 @@\n a\n-one two\n-three four\n+one 2\n+three four\n b\n",
                &[
                    "@@ -1,3 +1,2 @@",
                    " a",
                    "-one [two]",
                    "-three four",
                    "+one [2]",
                    "+three four",
                    " b",
                ],
            ),
            // A line that was broken in two; nothing in common; only one side.
            ("-one two three\n+one\n+two three\n", &["-one[ ]two three", "+one", "+two three"]),
            ("-alpha beta gamma\n+x\n", &["-alpha beta gamma", "+x"]),
            ("-gone\n b\n+come\n", &["-gone", " b", "+come"]),
            // Names of files in the lines of a hunk; no line feed at the end.
            (
                "--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- one a\n+-- one b\n",
                &["@@ -1 +1 @@", "--- one [a]", "+-- one [b]"],
            ),
            ("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+++ b/y\n", &["@@ -0,0 +1 @@", "+++ b/y"]),
            (
                "-one a\n\\ No newline at end of file\n+one b\n",
                &["-one [a]", "\\ No newline at end of file", "+one [b]"],
            ),
            ("Binary files a/x and b/x differ\n", &["Binary files a/x and b/x differ"]),
        ] {
            assert_eq!(emphasised(diff), expected, "{diff:?}");
        }
    }

    #[test]
    fn blanks_of_names_are_marked_and_the_indentation_of_a_message_is_not() {
        let text = "Author: A  B <a@b>\n    Subject\n\n      - a  point \ndiff --git a/x  y b/x  y\n--- a/x  y\n+++ b/x  y\n@@ -1 +1 @@\n-  a  b\n+++ c \n";
        let shown = |lines: Vec<Line<'_>>| -> Vec<String> {
            let text = |line: &Line<'_>| {
                line.shown().map(|piece| piece.text.into_owned()).gather::<Vec<_>>().concat()
            };
            lines.iter().map(|line| format!("{}{}", line.mark, text(line))).gather()
        };
        let all = [
            "Author: A␣␣B <a@b>",
            "    Subject",
            "",
            "      - a  point␣",
            "diff --git a/x␣␣y b/x␣␣y",
            "--- a/x␣␣y",
            "+++ b/x␣␣y",
            "@@ -1 +1 @@",
            "-  a  b",
            "+++ c␣",
        ];
        assert_eq!(shown(lines_of_patch(text, &[]).gather()), all);
        let unnamed = [&all[..5], &all[7..]].concat();
        assert_eq!(shown(lines_of_files(text, &[])), unnamed);
    }

    #[test]
    fn words_of_a_large_block_are_not_compared() {
        let long = "word ".repeat(limits::EMPHASIS_BYTES / 10 + 1);
        assert_eq!(
            emphasised(&format!("-{long}a\n+{long}b\n")),
            [format!("-{long}a"), format!("+{long}b")]
        );
        let blocks = limits::EMPHASIS_TOTAL_BYTES / 10 + 1;
        let many = emphasised(&"-one a\n+one b\n c\n".repeat(blocks));
        assert_eq!(many[0], "-one [a]");
        assert_eq!(many[many.len() - 3], "-one a");
    }
}
