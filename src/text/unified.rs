//! Writes the unified format, byte for byte as git does.
//!
//! Source: the output of `git diff`, described in its manual under "Generating patch text"; POSIX
//! `diff -u` differs only in labels.

use std::io::Write;
use std::ops::Range;

use super::cancel_token::{CancelToken, PacedToken, Stopped, append};
use super::diff::{Diff, DiffLine};
use super::hunk::Hunk;
use super::quoted_path;
use redline_base::budget::{Charge, Grow, GrowBy};

/// Appends `--- old` and `+++ new`, with labels quoted as git quotes paths; `quote_high` as for
/// [`quoted_path`].
pub fn write_labels(out: &mut Vec<u8>, old: &[u8], new: &[u8], quote_high: bool) {
    for (mark, label) in [(b"--- ", old), (b"+++ ", new)] {
        out.add_slice(mark);
        let shown = quoted_path(label, quote_high);
        out.add_slice(&shown);
        // git ends a name that contains a space with a TAB, so that tools see where it ends.
        if label.contains(&b' ') {
            out.add(b'\t');
        }
        out.add(b'\n');
    }
}

/// Appends a hunk: its header and its lines.
///
/// # Errors
/// [`Stopped`] if the query ended.
pub fn write_hunk(
    out: &mut Vec<u8>,
    diff: &Diff<'_>,
    hunk: &Hunk,
    section: Option<&[u8]>,
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    write_hunk_header(out, hunk, section);
    diff.lines(hunk).try_for_each(|line| write_line(out, &line, pace))
}

/// Appends a hunk's header, with a space and `section` after the second `@@`.
pub fn write_hunk_header(out: &mut Vec<u8>, hunk: &Hunk, section: Option<&[u8]>) {
    write_ranges(out, shown_range(&hunk.old), shown_range(&hunk.new));
    if let Some(section) = section {
        out.add(b' ');
        out.add_slice(section);
    }
    out.add(b'\n');
}

/// Appends a line of a hunk, and git's marker if its newline is missing.
///
/// # Errors
/// [`Stopped`] if the query ended.
pub fn write_line(
    out: &mut Vec<u8>,
    line: &DiffLine<'_>,
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    out.add(line.kind.sign());
    append(out, line.content, pace)?;
    if !line.content.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
    Ok(())
}

/// Appends `@@ -start,count +start,count @@`; omits a count of 1.
pub(super) fn write_ranges(out: &mut Vec<u8>, old: (u32, u32), new: (u32, u32)) {
    for (sign, (start, count)) in [("@@ -", old), (" +", new)] {
        let written = match count {
            1 => write!(out, "{sign}{start}"),
            _ => write!(out, "{sign}{start},{count}"),
        };
        written.expect("writing to memory does not fail");
    }
    out.add_slice(b" @@");
}

/// Returns the first line and the count that a hunk's header shows for a side: lines are counted
/// from 1, and an empty range names the line before it.
pub fn shown_range(lines: &Range<u32>) -> (u32, u32) {
    let count = lines.end - lines.start;
    (lines.start + u32::from(count > 0), count)
}

/// Returns the unified diff with its labels; empty if the texts are equal.
///
/// # Errors
/// [`Stopped`] when `cancel` asks for it or memory cannot be allocated.
pub fn unified_diff(
    diff: &Diff<'_>,
    old_label: &[u8],
    new_label: &[u8],
    cancel: &CancelToken<'_>,
) -> Result<Vec<u8>, Stopped> {
    let (mut out, mut charge) = (Vec::new(), Charge::free());
    let mut pace = cancel.pace();
    for (index, hunk) in diff.hunks().iter().enumerate() {
        if index == 0 {
            cancel.room(&mut charge, &mut out, diff.written_bytes())?;
            write_labels(&mut out, old_label, new_label, false);
        }
        write_hunk(&mut out, diff, hunk, None, &mut pace)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CancelToken, DiffOptions, Engine};

    fn diff(old: &str, new: &str, context: Option<u32>) -> String {
        let options = DiffOptions { context, ..DiffOptions::default() };
        let diff = Diff::new(
            &mut Engine::default(),
            old.as_bytes(),
            new.as_bytes(),
            &options,
            &CancelToken::never(),
        )
        .unwrap();
        String::from_utf8(unified_diff(&diff, b"a", b"b", &CancelToken::never()).unwrap()).unwrap()
    }

    #[test]
    fn headers_have_the_counts_and_starts_that_git_prints() {
        for (old, new, context, expected) in [
            ("x\n", "y\n", Some(3), "@@ -1 +1 @@\n-x\n+y\n"),
            ("x\ny\n", "", Some(3), "@@ -1,2 +0,0 @@\n-x\n-y\n"),
            ("", "x\n", Some(3), "@@ -0,0 +1 @@\n+x\n"),
            ("1\n2\n3\n", "1\n2\nx\n3\n", Some(0), "@@ -2,0 +3 @@\n+x\n"),
            ("1\n2\n3\n", "1\n3\n", Some(0), "@@ -2 +1,0 @@\n-2\n"),
            ("1\n2\n3\n", "1\n3\n", None, "@@ -1,3 +1,2 @@\n 1\n-2\n 3\n"),
        ] {
            assert_eq!(
                diff(old, new, context),
                format!("--- a\n+++ b\n{expected}"),
                "{old:?} {new:?}"
            );
        }
        assert_eq!(diff("x\n", "x\n", Some(3)), "");
    }

    #[test]
    fn a_missing_final_newline_is_shown_on_each_side() {
        let no = "\\ No newline at end of file\n";
        assert_eq!(diff("x", "x\n", Some(3)), format!("--- a\n+++ b\n@@ -1 +1 @@\n-x\n{no}+x\n"));
        assert_eq!(diff("x\n", "x", Some(3)), format!("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+x\n{no}"));
        assert_eq!(
            diff("a\nx", "b\nx", Some(3)),
            format!("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+b\n x\n{no}")
        );
    }

    #[test]
    fn a_label_cannot_forge_a_line() {
        let mut out = Vec::new();
        write_labels(&mut out, b"a\n+++ x", b"with space", true);
        assert_eq!(out, b"--- \"a\\n+++ x\"\t\n+++ with space\t\n");
    }
}
