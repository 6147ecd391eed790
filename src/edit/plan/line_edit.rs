//! Replaces lines of a file by number, and inserts lines.

use crate::plan::line_ends::end_of_line;
use crate::plan::request::FileName;
use crate::plan::{Content, Plan, check_text};
use redline_base::budget::{Grow, GrowBy, room_for};
use redline_base::error::{Error, Result};
use redline_base::form::counted;
use redline_text::lines::Lines;
use redline_text::{CancelToken, Engine};

/// A range of lines and its replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEdit<'a> {
    /// The first line, from 1; one after the last line of the file to append lines.
    pub first_line: u64,
    /// The last line; one less than the first to insert before the first.
    pub last_line: u64,
    /// The new lines, the last with or without its line ending; an empty text has no lines.
    pub new_text: &'a str,
}

impl Plan {
    /// Replaces lines of `base`, the current content. Only the bytes of these lines change: a last
    /// line without newline keeps none unless lines are added after it. A new line ends as the line
    /// that it replaces, otherwise as the one above, otherwise as the one below; CRLF in the new
    /// text stays.
    ///
    /// # Errors
    ///
    /// - `invalid_args`: the file has no such lines, nothing changes, or the file is or would
    ///   become binary.
    /// - `too_large`: the new content is longer than `max_bytes`.
    pub fn of_lines(
        engine: &mut Engine,
        file: FileName<'_>,
        base: &[u8],
        edit: LineEdit<'_>,
        max_bytes: u64,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        check_text(file, base)?;
        let lines = Lines::split(base, cancel)?;
        let (first, count) = range(file, lines.len(), edit)?;
        let place = lines.start(first)..lines.start(first + count);
        let new = new_lines(&lines, first, count, base, edit.new_text);
        let mut content = Content { bytes: Vec::new(), file, max_bytes };
        for part in [&base[..place.start], &new, &base[place.end..]] {
            content.push(part)?;
        }
        let match_line = first as u64 + 1;
        Self::made(engine, file, base, content.bytes, (vec![place], match_line), cancel)
    }
}

/// Returns the first line, from 0, and the number of lines that are replaced.
fn range(file: FileName<'_>, lines: usize, edit: LineEdit<'_>) -> Result<(usize, usize)> {
    let LineEdit { first_line, last_line, .. } = edit;
    let has = counted(lines as u64, "line");
    let wrong = |what: String| {
        Err(Error::invalid_args(what).with_hint(
            "Give the numbers of lines from 1 on; last_line = first_line - 1 inserts before first_line",
        ))
    };
    if first_line == 0 || last_line.checked_add(1).is_none_or(|next| next < first_line) {
        return wrong(format!("there are no lines {first_line} to {last_line}"));
    }
    let number = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let (first, end) = (number(first_line - 1), number(last_line));
    if end > lines || first > lines {
        return wrong(format!("{file} has {has}, and no lines {first_line} to {last_line}"));
    }
    Ok((first, end - first))
}

/// Returns the bytes that replace the lines.
fn new_lines(lines: &Lines<'_>, first: usize, count: usize, base: &[u8], text: &str) -> Vec<u8> {
    let is_last = first + count == lines.len();
    let lacks_newline = base.last().is_some_and(|last| *last != b'\n');
    // Lines added after a last line without newline leave the file without one.
    let ends_file = is_last && lacks_newline;
    let above = (first + count).saturating_sub(1);
    let end = |index: usize| end_of_line(lines, (first + index).min(above));
    let mut new = room_for(text.len() + 2);
    if ends_file && count == 0 && !text.is_empty() {
        new.add_slice(end(0));
    }
    let mut given = text.split_inclusive('\n').enumerate().peekable();
    while let Some((index, line)) = given.next() {
        let is_end = given.peek().is_none();
        let (line, has_cr) = match line.strip_suffix('\n') {
            None => (line, false),
            Some(line) => (line, line.ends_with('\r')),
        };
        new.add_slice(line.as_bytes());
        match (is_end && ends_file, has_cr) {
            (true, true) => drop(new.pop()),
            (true, false) => {}
            (false, true) => new.add(b'\n'),
            (false, false) => new.add_slice(end(index)),
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileName<'static> = FileName { sandbox: "w", relative: "a.txt" };

    fn planned(base: &str, first_line: u64, last_line: u64, new_text: &str) -> Result<Plan> {
        let edit = LineEdit { first_line, last_line, new_text };
        let cancel = CancelToken::never();
        Plan::of_lines(&mut Engine::default(), FILE, base.as_bytes(), edit, 100, &cancel)
    }

    #[test]
    fn the_bytes_of_the_lines_change_and_no_others() {
        for (base, first, last, new, made) in [
            ("a\nb\nc\n", 2, 2, "B\n", "a\nB\nc\n"),
            ("a\nb\nc\n", 2, 2, "B", "a\nB\nc\n"),
            ("a\nb\nc\n", 2, 3, "", "a\n"),
            ("a\nb\nc\n", 1, 3, "", ""),
            ("a\nb\nc\n", 2, 1, "x\ny\n", "a\nx\ny\nb\nc\n"),
            ("a\nb\nc\n", 1, 0, "\n", "\na\nb\nc\n"),
            ("a\nb\nc\n", 4, 3, "d", "a\nb\nc\nd\n"),
            // The last newline stays as it is.
            ("a\nb", 2, 2, "B\n", "a\nB"),
            ("a\nb", 1, 1, "A\n", "A\nb"),
            ("a\nb", 3, 2, "c\n", "a\nb\nc"),
            ("a\nb", 2, 2, "", "a\n"),
            ("a", 1, 1, "x\ny", "x\ny"),
            ("", 1, 0, "x", "x\n"),
            ("", 1, 0, "x\ny\n", "x\ny\n"),
            // A line ends as the one that it replaces, as the one above, or as the one below.
            ("a\r\nb\nc\r\n", 1, 2, "A\nB\nC\n", "A\r\nB\nC\nc\r\n"),
            ("a\r\nb\r\n", 2, 1, "x\n", "a\r\nx\r\nb\r\n"),
            ("a\r\nb\r\n", 1, 0, "x\n", "x\r\na\r\nb\r\n"),
            ("a\r\nb", 3, 2, "c\n", "a\r\nb\r\nc"),
            ("a\r\nb", 2, 2, "B\r\n", "a\r\nB"),
            ("a\nb\n", 2, 2, "B\r\nC\n", "a\nB\r\nC\n"),
        ] {
            let plan = planned(base, first, last, new).unwrap();
            let found = String::from_utf8(plan.content).unwrap();
            assert_eq!(found, made, "{base:?} {first} {last} {new:?}");
            assert_eq!((plan.places.len(), plan.match_line), (1, first));
        }
    }

    #[test]
    fn lines_that_are_not_there_and_changes_of_nothing_are_refused() {
        for (base, first, last, new, error) in [
            ("a\n", 0, 0, "x", "there are no lines 0 to 0"),
            ("a\n", 3, 1, "x", "there are no lines 3 to 1"),
            ("a\n", 2, 2, "x", "w/a.txt has 1 line, and no lines 2 to 2"),
            ("a\n", 3, 2, "x", "w/a.txt has 1 line, and no lines 3 to 2"),
            ("a\n", 1, u64::MAX, "x", "there are no lines 1 to 18446744073709551615"),
            ("a\n", u64::MAX, u64::MAX - 1, "x", "w/a.txt has 1 line"),
            ("a\n", 1, 1, "a\n", "the edit does not change w/a.txt"),
            ("a\n", 2, 1, "", "the edit does not change w/a.txt"),
            ("a\n", 1, 1, "\0", "the edit would make w/a.txt binary"),
            ("a\0", 1, 1, "x", "w/a.txt is a binary file"),
        ] {
            let found = planned(base, first, last, new).unwrap_err().to_string();
            assert!(found.starts_with(&format!("invalid_args: {error}")), "{found}");
        }
        let large = planned("a\n", 1, 1, &"x".repeat(200)).unwrap_err().to_string();
        assert!(large.starts_with("too_large:"), "{large}");
    }
}
