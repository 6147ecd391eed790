//! Prints hunks as git does.

use super::super::cancel_token::{CancelToken, Stopped};
use super::super::unified::write_ranges;
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
    let mut writer = Writer { out: Vec::new(), end: b"\n", work: Work::new(cancel) };
    let (old, new) = ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines));
    writer.hunk_header(old, new, hunk.section)?;
    for line in &hunk.lines {
        writer.hunk_line(line)?;
    }
    Ok(writer.out)
}

/// A patch in construction, with the line ending of its headers.
pub(super) struct Writer<'a> {
    pub out: Vec<u8>,
    pub end: &'static [u8],
    pub work: Work<'a>,
}

impl Writer<'_> {
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.work.append(&mut self.out, bytes)
    }

    /// Appends a line of a header.
    pub fn line(&mut self, parts: &[&[u8]]) -> Result<(), Stopped> {
        for part in parts {
            self.append(part)?;
        }
        self.append(self.end)
    }

    /// Appends `@@ -start,count +start,count @@ section`; omits a count of 1.
    pub fn hunk_header(
        &mut self,
        old: (u32, u32),
        new: (u32, u32),
        section: &[u8],
    ) -> Result<(), Stopped> {
        let space: &[u8] = if section.is_empty() { b"" } else { b" " };
        let mut ranges = Vec::new();
        write_ranges(&mut ranges, old, new);
        self.line(&[&ranges, space, section])
    }

    /// Appends a line with its mark, and git's marker if its file ends without a newline.
    pub fn hunk_line(&mut self, line: &PatchLine<'_>) -> Result<(), Stopped> {
        self.append(&[line.kind.sign()])?;
        self.append(line.content)?;
        self.append(b"\n")?;
        if !line.newline {
            self.line(&[b"\\ No newline at end of file"])?;
        }
        Ok(())
    }
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
