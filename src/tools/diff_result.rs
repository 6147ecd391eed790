//! The result of comparing two texts, for SQL functions and the tool `Diff`.

use schemars::JsonSchema;
use serde::Serialize;

use super::bounded::{Bounded, Bounds};
use super::tool::Output;
use redline_base::error::{Result, escaped, is_hard_to_see};
use redline_rows::{Col, Row, bigint, boolean, varchar};
use redline_text::lines::line_count;
use redline_text::unified::{write_hunk_header, write_labels, write_line};
use redline_text::{CancelToken, Diff, DiffOptions, Engine, binary_line, is_binary};

/// The most lines of context that can be asked for.
pub const MAX_CONTEXT: u32 = 20;

/// A text or the content of a file, and its name.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The content.
    pub bytes: &'a [u8],
    /// The name after `---` or `+++`.
    pub label: &'a str,
}

/// Two texts compared, within bounds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffResult {
    /// Whether the contents are equal byte for byte.
    pub identical: bool,
    /// Lines of the first content, 1 more when its last has no newline.
    pub lines_a: u64,
    /// Lines of the second content, counted likewise.
    pub lines_b: u64,
    /// Lines of `diff`.
    pub diff_lines: u64,
    /// Whether `diff` was cut at the end of a line: it then ends in `[diff truncated at N bytes]`,
    /// where N counts the bytes before that.
    pub truncated: bool,
    /// The unified diff, with U+FFFD for what is not UTF-8; empty when the contents are equal. Of
    /// contents of which one is binary, git's line that they differ.
    #[schemars(skip)]
    pub diff: String,
    /// The name of the first content, as given.
    #[schemars(skip)]
    pub label_a: String,
    /// The name of the second content, as given.
    #[schemars(skip)]
    pub label_b: String,
}

impl DiffResult {
    /// Compares two contents; `context` is the number of lines around a change. Never holds more
    /// than `bounds` of the diff.
    pub fn new(
        engine: &mut Engine,
        a: Side<'_>,
        b: Side<'_>,
        context: u32,
        bounds: Bounds,
        cancel: &CancelToken<'_>,
    ) -> Result<Self> {
        let identical = a.bytes == b.bytes;
        let mut diff = Bounded::new(bounds);
        if identical {
            // Nothing to show.
        } else if is_binary(a.bytes) || is_binary(b.bytes) {
            diff.push(
                &[&binary_line(a.label.as_bytes(), b.label.as_bytes(), hides(a, b))[..], b"\n"]
                    .concat(),
            )?;
        } else {
            write(engine, a, b, context, &mut diff, cancel)?;
        }
        let (diff, truncated) = diff.finish();
        Ok(Self {
            label_a: a.label.to_owned(),
            label_b: b.label.to_owned(),
            lines_a: line_count(a.bytes),
            lines_b: line_count(b.bytes),
            identical,
            diff_lines: line_count(diff.as_bytes()),
            truncated,
            diff,
        })
    }
}

impl Output for DiffResult {
    fn text(&self) -> String {
        if self.identical { self.line() } else { self.diff.clone() }
    }

    fn line(&self) -> String {
        // A label must not look like a line of its own.
        let labels = format!("{} and {}", escaped(&self.label_a), escaped(&self.label_b));
        match (self.identical, self.lines_a) {
            (true, 1) => format!("{labels} are identical (1 line)."),
            (true, lines) => format!("{labels} are identical ({lines} lines)."),
            (false, _) => format!("{labels} differ."),
        }
    }
}

/// Tells whether a label hides or reorders text: it is then shown with escapes, as git quotes it.
fn hides(a: Side<'_>, b: Side<'_>) -> bool {
    [a, b].iter().any(|side| side.label.chars().any(is_hard_to_see))
}

/// Writes the unified diff until it ends or is full.
fn write(
    engine: &mut Engine,
    a: Side<'_>,
    b: Side<'_>,
    context: u32,
    out: &mut Bounded,
    cancel: &CancelToken<'_>,
) -> Result<()> {
    let options = DiffOptions { context: Some(context), ..DiffOptions::default() };
    let diff = Diff::new(engine, a.bytes, b.bytes, &options, cancel)?;
    let mut lines = Vec::new();
    let mut pace = cancel.pace();
    write_labels(&mut lines, a.label.as_bytes(), b.label.as_bytes(), hides(a, b));
    for hunk in diff.hunks() {
        write_hunk_header(&mut lines, hunk, None);
        for line in diff.lines(hunk) {
            if !out.push(&lines)? {
                return Ok(());
            }
            lines.clear();
            write_line(&mut lines, &line, &mut pace)?;
        }
    }
    out.push(&lines)?;
    Ok(())
}

impl Row for DiffResult {
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "diff",
            "The unified diff, with U+FFFD for what is not UTF-8; empty when the contents are \
             equal. If one is binary, git's line that they differ.",
            |result, out| out.text(result.diff.as_str()),
        ),
        varchar("label_a", "The name of the first content, as given.", |result, out| {
            out.text(result.label_a.as_str())
        }),
        varchar("label_b", "The name of the second content, as given.", |result, out| {
            out.text(result.label_b.as_str())
        }),
        bigint(
            "lines_a",
            "Lines of the first content, 1 more when its last has no newline.",
            |result| result.lines_a.into(),
        ),
        bigint("lines_b", "Lines of the second content, counted likewise.", |result| {
            result.lines_b.into()
        }),
        boolean("identical", "Whether the contents are equal byte for byte.", |result| {
            Some(result.identical)
        }),
        bigint("diff_lines", "Lines of `diff`.", |result| result.diff_lines.into()),
        boolean(
            "truncated",
            "Whether `diff` was cut at the end of a line: it then ends in `[diff truncated at N \
             bytes]`, where N counts the bytes before that.",
            |result| Some(result.truncated),
        ),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(a: &[u8], b: &[u8], limit: usize) -> DiffResult {
        let (a, b) = (Side { bytes: a, label: "a" }, Side { bytes: b, label: "b" });
        DiffResult::new(
            &mut Engine::default(),
            a,
            b,
            3,
            Bounds::bytes(limit),
            &CancelToken::never(),
        )
        .unwrap()
    }

    #[test]
    fn a_diff_is_that_of_unified_diff() {
        let result = compare(b"one\ntwo\n", b"one\n2", usize::MAX);
        assert_eq!(
            result.diff,
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n"
        );
        assert_eq!((result.lines_a, result.lines_b, result.diff_lines), (2, 2, 7));
        assert!(!result.identical && !result.truncated);
    }

    #[test]
    fn equal_contents_have_no_diff() {
        for content in [&b""[..], b"x", b"\0\xff"] {
            let result = compare(content, content, 0);
            assert!(
                result.identical
                    && !result.truncated
                    && result.diff.is_empty()
                    && result.diff_lines == 0
            );
        }
    }

    #[test]
    fn a_binary_content_is_not_dumped() {
        for (a, b) in [(&b"x\0"[..], &b"x"[..]), (b"x", b"\0x"), (b"\0", b"\x01\0")] {
            let result = compare(a, b, usize::MAX);
            assert_eq!(
                (result.diff.as_str(), result.diff_lines),
                ("Binary files a and b differ\n", 1)
            );
            assert!(!result.identical);
        }
    }

    #[test]
    fn a_cut_diff_counts_the_lines_that_it_shows() {
        let (a, b) = ("x\n".repeat(1000), "y\n".repeat(1000));
        let result = compare(a.as_bytes(), b.as_bytes(), 100);
        assert!(result.truncated && result.diff.len() <= 100, "{}", result.diff);
        assert!(result.diff.starts_with("--- a\n+++ b\n@@ -1,1000 +1,1000 @@\n-x\n"));
        assert_eq!(result.diff.lines().count() as u64, result.diff_lines);
        assert_eq!((result.lines_a, result.lines_b), (1000, 1000));
    }

    #[test]
    fn no_cut_is_made_where_nothing_was_left_out() {
        let whole = compare(b"one\n", b"two", usize::MAX);
        let exact = compare(b"one\n", b"two", whole.diff.len());
        assert_eq!(whole, exact);
        assert!(compare(b"one\n", b"two", whole.diff.len() - 1).truncated);
    }
}
