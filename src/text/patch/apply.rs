//! Applies the hunks of one file to its bytes.

use super::super::cancel_token::CancelToken;
use super::apply_error::{ApplyError, Difference};
use super::error::excerpt;
use super::lines::{Line, LineCursor};
use super::work::Work;
use super::{FilePatch, LineKind, PatchHunk, PatchLine, PatchStatus};
use redline_base::budget::{Gather, reserve};

/// Returns `text` with the changes of `file` applied.
///
/// It is strict, on purpose: each hunk is applied at the line that `old_start` states, and every
/// context and removed line must match, byte for byte, including its CR and its missing newline.
/// There is no search for another place and no fuzz, so that a change is made where it was shown or
/// not at all. As in `git apply`, a hunk without context after its last change must end the text
/// (unless no hunk has context around it, as with `-U0`), a created file must be empty before, and
/// a deleted one after. `new_start` is ignored, so that one hunk of several can be applied alone.
///
/// # Errors
/// Returns the first hunk that does not fit, with the line of the text, the expected line and the
/// found one.
pub fn apply(text: &[u8], file: &FilePatch<'_>) -> Result<Vec<u8>, ApplyError> {
    apply_within(text, file, CancelToken::never())
}

/// Returns the text as [`apply`] does, within a budget.
///
/// # Errors
/// Those of [`apply`], and [`ApplyError::Stopped`].
pub fn apply_within(
    text: &[u8],
    file: &FilePatch<'_>,
    cancel: CancelToken<'_>,
) -> Result<Vec<u8>, ApplyError> {
    if file.is_binary {
        return Err(ApplyError::Binary { line: file.line });
    }
    if file.status == PatchStatus::Added && !text.is_empty() {
        return Err(ApplyError::NotEmpty { line: file.line, bytes: text.len() });
    }
    let is_context = |line: &PatchLine<'_>| line.kind == LineKind::Context;
    // With `-U0` no hunk starts or ends with context, so its absence means nothing.
    let surrounded = |hunk: &PatchHunk<'_>| {
        hunk.lines.first().is_some_and(is_context) || hunk.lines.last().is_some_and(is_context)
    };
    let has_context = file.hunks.iter().any(surrounded);
    let mut target = Target {
        text: LineCursor::new(text, cancel)?,
        taken: 0,
        out: Vec::new(),
        work: Work::new(cancel),
        hunk: 0,
        line: file.line,
    };
    // Most patches change little.
    target.work.hold(text.len())?;
    reserve(&mut target.out, text.len())?;
    for hunk in &file.hunks {
        target.apply(hunk)?;
        let ends_text = !hunk.lines.last().is_some_and(is_context);
        if let Some(next) = target.text.peek().filter(|_| has_context && ends_text) {
            return Err(ApplyError::NotAtEnd {
                hunk: target.hunk,
                line: target.line,
                text_line: target.taken + 1,
                found: excerpt(next.text),
            });
        }
    }
    while let Some(line) = target.text.next() {
        target.write(line.text, line.newline)?;
    }
    if file.status == PatchStatus::Deleted && !target.out.is_empty() {
        return Err(ApplyError::NotDeleted { line: file.line, bytes: target.out.len() });
    }
    Ok(target.out)
}

/// The text with the number of consumed lines, and the result so far.
struct Target<'a> {
    text: LineCursor<'a>,
    /// The number of consumed lines of the text.
    taken: usize,
    out: Vec<u8>,
    work: Work<'a>,
    /// The number of the hunk that is applied, and its line in the patch.
    hunk: usize,
    line: u32,
}

impl Target<'_> {
    fn apply(&mut self, hunk: &PatchHunk<'_>) -> Result<(), ApplyError> {
        (self.hunk, self.line) = (self.hunk + 1, hunk.line);
        let old = hunk.lines.iter().filter(|line| line.kind.is_old()).count();
        // A hunk without old lines names the line before it; any other names its first line.
        let before = match (hunk.old_start as usize, old) {
            (start, 0) => Some(start),
            (start, _) => start.checked_sub(1),
        };
        let Some(before) = before.filter(|_| old == hunk.old_lines as usize) else {
            return Err(ApplyError::Counts {
                hunk: self.hunk,
                line: self.line,
                old_start: hunk.old_start,
                announced: hunk.old_lines,
                counted: old,
            });
        };
        if before < self.taken {
            return Err(ApplyError::Overlap {
                hunk: self.hunk,
                line: self.line,
                old_start: hunk.old_start,
                previous_end: self.taken,
            });
        }
        if before - self.taken > self.text.remaining() {
            return Err(ApplyError::BeyondEnd {
                hunk: self.hunk,
                line: self.line,
                old_start: hunk.old_start,
                text_lines: self.taken + self.text.remaining(),
            });
        }
        while self.taken < before {
            let Some(line) = self.text.next() else { break };
            self.taken += 1;
            self.write(line.text, line.newline)?;
        }
        for line in &hunk.lines {
            if line.kind.is_old() {
                self.expect(line)?;
            }
            if line.kind.is_new() {
                self.write(line.content, line.newline)?;
            }
        }
        Ok(())
    }

    /// Takes the next line of the text, which must match the patch.
    fn expect(&mut self, line: &PatchLine<'_>) -> Result<(), ApplyError> {
        self.work.line(line.content)?;
        let found = self.text.next();
        self.taken += 1;
        match found {
            Some(f) if f.text == line.content && f.newline == line.newline => Ok(()),
            _ => Err(ApplyError::Mismatch {
                hunk: self.hunk,
                line: self.line,
                text_line: self.taken,
                expected: excerpt(line.content),
                found: found.map_or("the end of the text".to_owned(), |f| excerpt(f.text)),
                difference: found.map_or(Difference::Content, |f| difference(line, &f)),
            }),
        }
    }

    fn write(&mut self, content: &[u8], newline: bool) -> Result<(), ApplyError> {
        if self.out.last().is_some_and(|&byte| byte != b'\n') {
            let (hunk, line) = (self.hunk, self.line);
            return Err(ApplyError::Glued { hunk, line, found: excerpt(content) });
        }
        self.work.append(&mut self.out, content)?;
        if newline {
            self.work.append(&mut self.out, b"\n")?;
        }
        Ok(())
    }
}

/// Returns how a line of the text differs from the patch.
fn difference(expected: &PatchLine<'_>, found: &Line<'_>) -> Difference {
    let (patch, text) = (expected.content, found.text);
    let visible = |line: &[u8]| -> Vec<u8> {
        let dark = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\r');
        line.iter().copied().filter(dark).gather()
    };
    if patch == text {
        return if found.newline { Difference::NewlineInText } else { Difference::NewlineInPatch };
    }
    if patch.strip_suffix(b"\r") == Some(text) || text.strip_suffix(b"\r") == Some(patch) {
        return Difference::LineEnding;
    }
    if visible(patch) == visible(text) { Difference::Whitespace } else { Difference::Content }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn try_apply(text: &str, patch: &str) -> Result<String, ApplyError> {
        let files = parse(patch.as_bytes()).expect("a well-formed patch");
        let [file] = files.as_slice() else {
            panic!("one file, not {}", files.len());
        };
        apply(text.as_bytes(), file).map(|new| String::from_utf8(new).expect("UTF-8"))
    }

    #[test]
    fn hunks_land_where_they_say() {
        for (text, patch, new) in [
            ("a\nb\nc\n", "@@ -2 +2 @@\n-b\n+B\n", "a\nB\nc\n"),
            ("a\nb\n", "@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n"),
            ("a\nb\n", "@@ -0,0 +1 @@\n+x\n", "x\na\nb\n"),
            ("a\nb\n", "@@ -2,0 +3 @@\n+x\n", "a\nb\nx\n"),
            ("a\nb\n", "@@ -1 +0,0 @@\n-a\n", "b\n"),
            ("", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", "x\n"),
            ("x\n", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", ""),
            ("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"),
            // One hunk of several: the new start counts lines that are missing here.
            ("a\nb\n", "@@ -2 +90 @@\n-b\n+B\n", "a\nB\n"),
            ("a\nb\nc\n", "@@ -1 +0,0 @@\n-a\n@@ -3 +2 @@\n-c\n+C\n", "b\nC\n"),
            ("a\r\n\r\nb", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n \r\n", "A\r\n\r\nb"),
        ] {
            assert_eq!(try_apply(text, patch).as_deref(), Ok(new), "{text:?} {patch:?}");
        }
    }

    #[test]
    fn a_missing_newline_is_exact() {
        let end = "\\ No newline at end of file\n";
        let add = format!("@@ -1 +1 @@\n-a\n{end}+a\n");
        let drop = format!("@@ -1 +1 @@\n-a\n+a\n{end}");
        let keep = format!("@@ -1,2 +1,2 @@\n-a\n+b\n c\n{end}");
        assert_eq!(try_apply("a", &add).as_deref(), Ok("a\n"));
        assert_eq!(try_apply("a\n", &drop).as_deref(), Ok("a"));
        assert_eq!(try_apply("a\nc", &keep).as_deref(), Ok("b\nc"));
        for (text, patch, difference) in [
            ("a\n", &add, Difference::NewlineInText),
            ("a", &drop, Difference::NewlineInPatch),
            ("a\nc\n", &keep, Difference::NewlineInText),
        ] {
            match try_apply(text, patch) {
                Err(ApplyError::Mismatch { difference: found, .. }) => {
                    assert_eq!(found, difference, "{text:?}")
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
        // Without context the hunk may be from `-U0`, but no line may be glued to another.
        for (text, patch) in [("a\nb\n", drop.as_str()), ("a", "@@ -1,0 +2 @@\n+b\n")] {
            let found = try_apply(text, patch);
            assert!(matches!(found, Err(ApplyError::Glued { .. })), "{found:?}");
        }
    }

    #[test]
    fn a_mismatch_names_hunk_line_and_both_texts() {
        let patch = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -3,2 +3,2 @@\n c\n-d\n+D\n";
        for (text, difference) in [
            ("a\nb\nc\nX\n", Difference::Content),
            ("a\nb\nc\nd\r\n", Difference::LineEnding),
            ("a\nb\nc\n\td \n", Difference::Whitespace),
            ("a\nb\nc\n", Difference::Content),
        ] {
            let error = try_apply(text, patch).expect_err("a mismatch");
            let ApplyError::Mismatch { hunk: 2, line: 7, text_line: 4, difference: found, .. } =
                error
            else {
                panic!("{error}");
            };
            assert_eq!(found, difference, "{text:?}");
        }
        let error = try_apply("a\nb\nc\n", patch).expect_err("a mismatch").to_string();
        assert_eq!(
            error,
            "hunk 2 (line 7) does not fit at line 4 of the text: expected \"d\", found the end of the text; make the patch again from this text"
        );
    }

    #[test]
    fn hunks_out_of_place_are_refused_and_never_moved() {
        let two = |first: &str, second: &str| format!("{first}{second}");
        let (one, three) = ("@@ -1 +1 @@\n-a\n+A\n", "@@ -3 +3 @@\n-c\n+C\n");
        let found = try_apply("a\nb\nc\n", &two(three, one));
        assert!(
            matches!(found, Err(ApplyError::Overlap { hunk: 2, previous_end: 3, .. })),
            "{found:?}"
        );
        let found = try_apply("a\nb\nc\n", &two(one, one));
        assert!(
            matches!(found, Err(ApplyError::Overlap { hunk: 2, previous_end: 1, .. })),
            "{found:?}"
        );
        for patch in ["@@ -9 +9 @@\n-a\n+b\n", "@@ -4294967295,0 +1 @@\n+b\n"] {
            let found = try_apply("a\nb\n", patch);
            assert!(matches!(found, Err(ApplyError::BeyondEnd { text_lines: 2, .. })), "{found:?}");
        }
        // The lines occur one line further down.
        let found = try_apply("x\na\nb\n", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n");
        assert!(matches!(found, Err(ApplyError::Mismatch { .. })), "{found:?}");
        let found = try_apply("a\n", "@@ -0 +1 @@\n-a\n+A\n");
        assert!(matches!(found, Err(ApplyError::Counts { .. })), "{found:?}");
        let found = try_apply("a\nb\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
        assert!(matches!(found, Err(ApplyError::NotAtEnd { text_line: 3, .. })), "{found:?}");
    }

    #[test]
    fn created_and_deleted_files_and_binaries_are_checked() {
        let create = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n";
        let found = try_apply("y\n", create);
        assert!(matches!(found, Err(ApplyError::NotEmpty { bytes: 2, .. })), "{found:?}");
        let delete = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let found = try_apply("x\ny\n", delete);
        assert!(matches!(found, Err(ApplyError::NotDeleted { bytes: 2, .. })), "{found:?}");
        let binary = "Binary files a/x and b/x differ\n";
        assert_eq!(try_apply("", binary), Err(ApplyError::Binary { line: 1 }));
    }

    #[test]
    fn a_hunk_made_by_hand_with_wrong_counts_is_refused() {
        let patch = b"@@ -1 +1 @@\n-a\n+b\n";
        let mut files = parse(patch).expect("a patch");
        files[0].hunks[0].old_lines = 7;
        assert!(matches!(
            apply(b"a\n", &files[0]),
            Err(ApplyError::Counts { announced: 7, counted: 1, .. })
        ));
    }
}
