//! Corrects the counts in the hunk headers of a unified diff before it is parsed: models write
//! correct bodies with wrong counts, and a count that is too small would cut a hunk.

use super::rest::PatchLines;
use super::wrong;
use redline_base::budget::GrowBy;
use redline_base::error::{Result, quoted};
use redline_text::CancelToken;

/// The start and the count of each side in the header of a hunk, the old one first; those that are
/// missing are `None`.
type Numbers = [Option<(usize, usize)>; 2];

/// Returns the patch with the counts of the bodies, after noting whose lines belong to hunks. A hunk
/// without numbers starts at line 0.
///
/// # Errors
/// `invalid_args` for a line in a hunk that cannot be part of one.
pub(super) fn recounted(lines: &mut PatchLines<'_>, cancel: &CancelToken<'_>) -> Result<String> {
    let mut out = String::new();
    let mut pace = cancel.pace();
    let mut index = 0;
    while let Some(&line) = lines.all.get(index) {
        pace.pass(line.len())?;
        index += 1;
        if !is_header(line) {
            out.add_slice(line);
            continue;
        }
        let numbers = numbers(line);
        let body = match Body::of(&lines.all[index..], index, numbers) {
            Ok(body) => body,
            Err(error) => {
                // If another patch began above, that is the reason.
                lines.own(index - 1..lines.all.len());
                return Err(error);
            }
        };
        let [old, new] = numbers.map(|side| side.map_or(0, |(start, _)| start));
        out.add_slice(&format!("@@ -{old},{} +{new},{} @@\n", body.old, body.new));
        lines.own(index - 1..index + body.lines);
        for line in &lines.all[index..index + body.lines] {
            pace.pass(line.len())?;
            out.add_slice(line);
        }
        index += body.lines;
    }
    Ok(out)
}

pub(super) fn is_header(line: &str) -> bool {
    line.strip_prefix("@@").is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(' '))
}

/// Reads `@@ -1,2 +3,4 @@`.
fn numbers(line: &str) -> Numbers {
    let mut words = line.trim_end().split(' ').skip(1);
    let mut side = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let numbers = [side('-'), side('+')];
    if numbers[1].is_some() { numbers } else { Numbers::default() }
}

/// The number of lines in a hunk, in all and of each side.
#[derive(Debug, Default, PartialEq, Eq)]
struct Body {
    lines: usize,
    old: usize,
    new: usize,
}

impl Body {
    /// Finds the end of a hunk; `above` is the number of lines in the patch before `lines`.
    fn of(lines: &[&str], above: usize, numbers: Numbers) -> Result<Self> {
        let [old, new] = numbers.map(|side| side.map(|(_, count)| count));
        let mut body = Self::default();
        while let Some(line) = lines.get(body.lines) {
            let rest = &lines[body.lines..];
            let is_full =
                old.is_none_or(|old| body.old >= old) && new.is_none_or(|new| body.new >= new);
            if is_header(line) || starts_file(rest) || (is_full && is_signature(line)) {
                break;
            }
            match line.as_bytes().first() {
                Some(b' ') => body.add(1, 1),
                Some(b'-') => body.add(1, 0),
                Some(b'+') => body.add(0, 1),
                Some(b'\\') => body.add(0, 0),
                _ if is_blank(line) => {
                    let blanks = rest.iter().take_while(|line| is_blank(line)).count();
                    let goes_on = !rest[blanks..].is_empty() && is_body(&rest[blanks..]);
                    let missing = old.map_or(0, |old| old.saturating_sub(body.old));
                    let taken = if goes_on { blanks } else { blanks.min(missing) };
                    (0..taken).for_each(|_| body.add(1, 1));
                    if taken < blanks {
                        break;
                    }
                }
                _ if line.starts_with("```") || (is_full && old.is_some()) => break,
                _ => {
                    return Err(wrong(
                        above + body.lines + 1,
                        format_args!("{} is not a line of a hunk", quoted(line.trim_end())),
                    )
                    .with_hint(
                        "Start each line of a hunk with a space, - or +, and put no text between",
                    ));
                }
            }
        }
        Ok(body)
    }

    fn add(&mut self, old: usize, new: usize) {
        self.lines += 1;
        self.old += old;
        self.new += new;
    }
}

fn is_blank(line: &str) -> bool {
    matches!(line, "\n" | "\r\n" | "\r" | "")
}

/// Tells whether the next line, which must exist, belongs to a hunk.
fn is_body(lines: &[&str]) -> bool {
    !starts_file(lines) && !is_signature(lines[0]) && lines[0].starts_with([' ', '+', '-'])
}

/// Tells whether another file starts here.
fn starts_file(lines: &[&str]) -> bool {
    let starts =
        |index: usize, with: &str| lines.get(index).is_some_and(|line| line.starts_with(with));
    ["diff ", "Index: ", "Binary files ", "GIT binary patch"].iter().any(|with| starts(0, with))
        || (starts(0, "--- ")
            && starts(1, "+++ ")
            && lines.get(2).is_some_and(|line| is_header(line)))
}

/// Tells whether a line starts a mail signature.
fn is_signature(line: &str) -> bool {
    matches!(line.trim_end_matches(['\r', '\n']), "-- " | "--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recount(patch: &str) -> String {
        recounted(&mut PatchLines::of(patch), &CancelToken::never()).unwrap()
    }

    #[test]
    fn counts_are_those_of_the_body() {
        for (patch, header) in [
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n d\n", "@@ -1,3 +1,3 @@"),
            ("@@ -0,0 +1,2 @@\n+1\n+2\n+3\n+4\n", "@@ -0,0 +1,4 @@"),
            ("@@ -1,9 +1,9 @@\n-a\n+b\n", "@@ -1,1 +1,1 @@"),
            ("@@ -1 +1 @@ fn x\n-a\n\\ No newline at end of file\n+b\n", "@@ -1,1 +1,1 @@"),
            ("@@ -7 +7 @@\n-a\n+b\n\n c\n", "@@ -7,3 +7,3 @@"),
            ("@@ -7,2 +7,2 @@\n-a\n+b\n\n", "@@ -7,2 +7,2 @@"),
            ("@@ -7 +7 @@\n-a\n+b\n\n", "@@ -7,1 +7,1 @@"),
            ("@@\n-a\n+b\n```\n", "@@ -0,1 +0,1 @@"),
            ("@@ ... @@\n-a\n+b\n", "@@ -0,1 +0,1 @@"),
            ("@@ -1 +1 @@\n-a\n+b\n-- \n2.47.3\n", "@@ -1,1 +1,1 @@"),
            ("@@ -1,2 +1,1 @@\n-a\n--- \n+b\n", "@@ -1,2 +1,1 @@"),
            ("@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x\n@@ -2 +2 @@\n-c\n", "@@ -1,1 +1,1 @@"),
        ] {
            let found = recount(patch);
            assert_eq!(found.lines().next(), Some(header), "{patch}");
            assert_eq!(found.lines().count(), patch.lines().count(), "{patch}");
        }
    }

    #[test]
    fn a_line_that_is_none_of_a_hunk_is_refused_and_cuts_nothing() {
        for patch in ["@@ -1,3 +1,3 @@\n a\nb\n-c\n+d\n", "@@\n-a\nb\n"] {
            let error = recounted(&mut PatchLines::of(patch), &CancelToken::never())
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("invalid_args: line 3 of the patch: 'b' is not a line"),
                "{error}"
            );
        }
        assert_eq!(recount("@@ -1 +1 @@\n-a\n+b\nOnly in x: y\n").lines().count(), 4);
    }
}
