//! Prints hunks as git does.

use super::super::cancel_token::{CancelToken, Stopped};
use super::super::unified::ranges;
use super::work::Work;
use super::{PatchHunk, PatchLine};

/// Returns a hunk as `git diff` prints it: its header and its lines, each ended by a newline.
#[must_use]
pub fn hunk_text(hunk: &PatchHunk<'_>) -> Vec<u8> {
    hunk_text_within(hunk, CancelToken::never()).unwrap_or_default()
}

/// Returns a hunk as [`hunk_text`] does, within a budget.
///
/// # Errors
/// The reason why the query ended.
pub fn hunk_text_within(hunk: &PatchHunk<'_>, cancel: CancelToken<'_>) -> Result<Vec<u8>, Stopped> {
    let (mut out, mut work) = (Vec::new(), Work::new(cancel));
    let (old, new) = ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines));
    write_header(&mut out, old, new, hunk.section, b"\n", &mut work)?;
    for line in &hunk.lines {
        write_line(&mut out, line, b"\n", &mut work)?;
    }
    Ok(out)
}

/// Appends `@@ -start,count +start,count @@ section`; omits a count of 1.
pub(super) fn write_header(
    out: &mut Vec<u8>,
    old: (u32, u32),
    new: (u32, u32),
    section: &[u8],
    end: &[u8],
    work: &mut Work<'_>,
) -> Result<(), Stopped> {
    work.append(out, ranges(old, new).as_bytes())?;
    if !section.is_empty() {
        work.append(out, b" ")?;
        work.append(out, section)?;
    }
    work.append(out, end)
}

/// Appends a line with its mark, and git's marker if its file ends without a newline.
pub(super) fn write_line(
    out: &mut Vec<u8>,
    line: &PatchLine<'_>,
    end: &[u8],
    work: &mut Work<'_>,
) -> Result<(), Stopped> {
    work.append(out, &[line.kind.sign()])?;
    work.append(out, line.content)?;
    work.append(out, b"\n")?;
    if !line.newline {
        work.append(out, b"\\ No newline at end of file")?;
        work.append(out, end)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_hunk_is_printed_as_it_was_read() {
        for hunk in [
            "@@ -1 +1 @@\n-a\n+b\n",
            "@@ -0,0 +1,2 @@\n+a\n+\n",
            "@@ -4,3 +4,2 @@ fn f() {\n a\r\n-b\n-c\n\\ No newline at end of file\n+\0\n",
            "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
        ] {
            let files = parse(hunk.as_bytes()).expect("a patch");
            assert_eq!(hunk_text(&files[0].hunks[0]), hunk.as_bytes());
        }
    }

    #[test]
    fn a_section_that_ends_in_carriage_returns_loses_all_at_the_first_reading() {
        let files = parse(b"@@ -1 +1 @@ f() \r\r\n-a\r\n+b\r\n").expect("a patch");
        let printed = hunk_text(&files[0].hunks[0]);
        assert_eq!(printed, b"@@ -1 +1 @@ f() \n-a\r\n+b\r\n");
        assert_eq!(
            parse(&printed).expect("a patch")[0].hunks[0].section,
            files[0].hunks[0].section
        );
    }
}
