//! The unchanged lines beside the hunks of a patch, which a page has for those who want to see more.

use std::ops::Range;

use redline_base::budget::{Gather, Grow, GrowBy};
use redline_base::error::Result;
use redline_base::limits::{UNCHANGED_FILE_BYTES, UNCHANGED_LINES};
use redline_git::PatchHunk;
use redline_render::html::PageLines;
use redline_text::CancelToken;

/// Returns what stands before, between and after the hunks of a file with this content: up to
/// [`UNCHANGED_LINES`] lines on each side of a hunk, and nothing of more than
/// [`UNCHANGED_FILE_BYTES`] bytes.
///
/// # Errors
/// The reason for which the query ends.
pub fn beside(
    hunks: &[PatchHunk],
    content: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<Vec<PageLines>> {
    let mut found = wanted(hunks);
    let mut pace = cancel.pace();
    let (mut runs, mut bytes) = (found.iter_mut().peekable(), 0);
    for (number, line) in (1..).zip(content.split_inclusive(|&byte| byte == b'\n')) {
        pace.pass(line.len())?;
        let Some(run) = runs.peek_mut() else { break };
        if number < run.new {
            continue;
        }
        bytes += line.len() + 2;
        if bytes > UNCHANGED_FILE_BYTES {
            break;
        }
        run.text.add(b' ');
        run.text.add_slice(line);
        if !line.ends_with(b"\n") {
            run.text.add(b'\n');
        }
        run.count -= 1;
        if run.count == 0 {
            runs.next();
        }
    }
    // Counted down while lines were found: what is left over there is not.
    for (run, all) in found.iter_mut().zip(wanted(hunks)) {
        run.count = all.count - run.count;
    }
    Ok(found.into_iter().filter(|run| run.count > 0).gather())
}

/// Returns the places of all lines that are wanted, of a file of any length.
fn wanted(hunks: &[PatchHunk]) -> Vec<PageLines> {
    let mut found = Vec::new();
    let mut start = (1, 1);
    for (before, hunk) in hunks.iter().enumerate() {
        let (old, new) = (lines(hunk.old), lines(hunk.new));
        let gap = new.start.saturating_sub(start.1);
        let run = |old, new, count| PageLines { before, old, new, count, text: Vec::new() };
        if before > 0 && gap > 2 * UNCHANGED_LINES {
            found.add(run(start.0, start.1, UNCHANGED_LINES));
        }
        let near =
            if before > 0 && gap <= 2 * UNCHANGED_LINES { gap } else { gap.min(UNCHANGED_LINES) };
        if near > 0 {
            found.add(run(old.start.saturating_sub(near), new.start - near, near));
        }
        start = (old.end, new.end);
    }
    if !hunks.is_empty() {
        let (before, (old, new)) = (hunks.len(), start);
        found.add(PageLines { before, old, new, count: UNCHANGED_LINES, text: Vec::new() });
    }
    found
}

/// Returns the lines of a side of a hunk, from 1; a header names the line before no lines.
fn lines((first, count): (u32, u32)) -> Range<u32> {
    let start = first.saturating_add(u32::from(count == 0));
    start..start.saturating_add(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what stands beside hunks of a content with so many numbered lines.
    fn numbers_beside(hunks: &[[(u32, u32); 2]], last: u32) -> Vec<(usize, u32, Range<u32>)> {
        let content: String = (1..=last).map(|number| format!("{number}\n")).collect();
        let hunk =
            |&[old, new]: &[(u32, u32); 2]| PatchHunk { old, new, section: Vec::new(), span: 0..0 };
        let hunks: Vec<PatchHunk> = hunks.iter().map(hunk).collect();
        let found = beside(&hunks, content.as_bytes(), &CancelToken::never()).unwrap();
        let told = found.into_iter().map(|run| {
            let lines = run.new..run.new + run.count;
            let text: String = lines.clone().map(|number| format!(" {number}\n")).collect();
            assert_eq!(run.text, text.as_bytes());
            (run.before, run.old, lines)
        });
        told.collect()
    }

    #[test]
    fn lines_stand_before_between_and_after_hunks() {
        assert_eq!(
            numbers_beside(&[[(30, 5), (30, 6)], [(50, 3), (51, 3)]], 60),
            [(0, 10, 10..30), (1, 35, 36..51), (2, 53, 54..61)]
        );
    }

    #[test]
    fn of_a_long_gap_both_ends_are_given() {
        assert_eq!(
            numbers_beside(&[[(1, 1), (1, 1)], [(100, 1), (100, 1)]], 100),
            [(1, 2, 2..22), (1, 80, 80..100)]
        );
    }

    #[test]
    fn a_hunk_without_lines_of_a_side_stands_behind_the_line_of_its_header() {
        assert_eq!(numbers_beside(&[[(3, 2), (2, 0)]], 4), [(0, 1, 1..3), (1, 5, 3..5)]);
        assert_eq!(numbers_beside(&[[(0, 0), (1, 2)]], 2), []);
        assert_eq!(numbers_beside(&[[(2, 0), (3, 1)]], 4), [(0, 1, 1..3), (1, 3, 4..5)]);
    }

    #[test]
    fn a_last_line_without_its_end_gets_one_and_what_is_too_much_is_left_out() {
        let hunk = PatchHunk { old: (1, 1), new: (1, 1), section: Vec::new(), span: 0..0 };
        let of = |content: &[u8]| {
            let found = beside(std::slice::from_ref(&hunk), content, &CancelToken::never());
            found.unwrap().into_iter().map(|run| run.text).collect::<Vec<_>>()
        };
        assert_eq!(of(b"a\nb"), [b" b\n"]);
        let long = [b"a\nb\n", &vec![b'x'; UNCHANGED_FILE_BYTES][..]].concat();
        assert_eq!(of(&long), [b" b\n"]);
    }
}
