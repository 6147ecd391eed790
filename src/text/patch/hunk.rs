//! Reads one hunk: its header, its lines, and the lines that may follow it.

use super::super::cancel_token::Stopped;
use super::error::{PatchError, excerpt, excerpt_or_end};
use super::lines::{Line, LineCursor};
use super::work::Work;
use super::{LineKind, PatchHunk, PatchLine};

/// Tells whether the line starts like a hunk header.
pub(super) fn is_hunk(line: &Line<'_>) -> bool {
    line.text.starts_with(b"@@ -")
}

/// Returns the hunk that a line `@@ -1,2 +3,4 @@ section` announces, without its lines.
fn header(text: &[u8], line: u32) -> Option<PatchHunk<'_>> {
    let ((old_start, old_lines), rest) = range(text.strip_prefix(b"@@ -")?)?;
    let ((new_start, new_lines), rest) = range(rest.strip_prefix(b" +")?)?;
    let section = rest.strip_prefix(b" @@")?;
    let section = section.strip_prefix(b" ").unwrap_or(section);
    // The last CR belongs to the line's end; another CR before it would be taken for one when the
    // hunk is printed.
    let end = section.iter().rposition(|&byte| byte != b'\r').map_or(0, |last| last + 1);
    let section = &section[..end];
    let lines = Vec::new();
    Some(PatchHunk { old_start, old_lines, new_start, new_lines, section, lines, line })
}

/// Reads `start` or `start,count`; a missing count is 1.
fn range(text: &[u8]) -> Option<((u32, u32), &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        None => Some(((start, 1), rest)),
        Some(rest) => number(rest).map(|(count, rest)| ((start, count), rest)),
    }
}

fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(digits);
    // `parse` rejects an empty text and a number above u32.
    let value = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((value, rest))
}

/// The hunk read so far.
struct Body<'a> {
    lines: Vec<PatchLine<'a>>,
    old: u32,
    new: u32,
    /// Whether a line without newline has ended the side.
    old_ended: bool,
    new_ended: bool,
}

impl<'a> Body<'a> {
    fn push(
        &mut self,
        line: &Line<'a>,
        kind: LineKind,
        content: &'a [u8],
        work: &mut Work<'_>,
    ) -> Result<(), PatchError> {
        let (old, new) = (kind.is_old(), kind.is_new());
        if (old && self.old_ended) || (new && self.new_ended) {
            return Err(PatchError::NoNewline { line: line.number });
        }
        self.old += u32::from(old);
        self.new += u32::from(new);
        // The last line of a patch may have lost its own LF (difflib with `lineterm=''`, a trimmed
        // string). As in GNU patch that does not describe the file: only the marker does.
        work.push(&mut self.lines, PatchLine { kind, content, newline: true })?;
        Ok(())
    }

    /// Takes `\ No newline at end of file`, which describes the line before it.
    fn end_side(&mut self, marker: &Line<'_>) -> Result<(), PatchError> {
        let last = self.lines.last_mut();
        // A line with neither content nor a newline does not exist.
        let last = last.filter(|line| line.newline && !line.content.is_empty());
        let last = last.ok_or(PatchError::NoNewline { line: marker.number })?;
        last.newline = false;
        self.old_ended |= last.kind.is_old();
        self.new_ended |= last.kind.is_new();
        Ok(())
    }
}

fn is_marker(line: &Line<'_>) -> bool {
    line.text.starts_with(b"\\ ")
}

/// Returns the kind and the content of a body line; `None` for another line.
fn body_line<'a>(line: &Line<'a>) -> Option<(LineKind, &'a [u8])> {
    match line.text.split_first() {
        // An empty context line whose space was trimmed by a mailer or an editor.
        None | Some((b'\r', [])) => Some((LineKind::Context, line.text)),
        Some((&sign, content)) => Some((LineKind::of(sign)?, content)),
    }
}

/// Reads the hunk whose header is the next line.
///
/// `blank_after_header` is set for patches of difflib whose headers bring a newline of their own
/// and are joined by newlines: then an empty line follows every header.
pub(super) fn parse<'a>(
    lines: &mut LineCursor<'a>,
    blank_after_header: bool,
    work: &mut Work<'_>,
) -> Result<PatchHunk<'a>, PatchError> {
    let head = lines.next();
    let (line, text) = head.map_or((lines.number(), &b""[..]), |l| (l.number, l.header()));
    let header =
        header(text, line).ok_or_else(|| PatchError::HunkHeader { line, found: excerpt(text) })?;
    if blank_after_header && lines.peek().is_some_and(|l| l.text.is_empty()) {
        lines.next();
    }
    let announced = header.old_lines.max(header.new_lines);
    if announced as usize > lines.remaining() {
        return Err(PatchError::HunkTooLong { line, announced, remaining: lines.remaining() });
    }
    let mut body = Body { lines: Vec::new(), old: 0, new: 0, old_ended: false, new_ended: false };
    let counts = |body: &Body<'_>, at: u32, found: Option<&[u8]>| PatchError::HunkCounts {
        line: at,
        hunk_line: line,
        old_announced: header.old_lines,
        new_announced: header.new_lines,
        old_found: body.old,
        new_found: body.new,
        found: excerpt_or_end(found),
    };
    while body.old < header.old_lines || body.new < header.new_lines {
        let Some(next) = lines.peek() else {
            return Err(counts(&body, lines.number(), None));
        };
        work.line(next.text)?;
        if is_marker(&next) {
            body.end_side(&next)?;
            lines.next();
            continue;
        }
        let fitting = body_line(&next).filter(|&(kind, _)| {
            (!kind.is_old() || body.old < header.old_lines)
                && (!kind.is_new() || body.new < header.new_lines)
        });
        let Some((kind, content)) = fitting else {
            return Err(counts(&body, next.number, Some(next.text)));
        };
        body.push(&next, kind, content, work)?;
        lines.next();
    }
    if let Some(marker) = lines.peek().filter(is_marker) {
        body.end_side(&marker)?;
        lines.next();
    }
    if let Some(extra) = body_goes_on(lines.clone(), work)? {
        return Err(counts(&body, extra.number, Some(extra.text)));
    }
    if body.lines.iter().all(|l| l.kind == LineKind::Context) {
        return Err(PatchError::HunkEmpty { line });
    }
    Ok(PatchHunk { lines: body.lines, ..header })
}

/// Returns the line after a complete hunk if it looks like more of it.
///
/// git treats such lines as text between patches and drops them, so that a wrong count silently
/// loses changes. Here only the signature of a mail, the header of a file, and lines after an empty
/// line that are not changes are text.
fn body_goes_on<'a>(
    mut lines: LineCursor<'a>,
    work: &mut Work<'_>,
) -> Result<Option<Line<'a>>, Stopped> {
    let mut after_blank = false;
    let next = loop {
        let Some(next) = lines.peek() else { return Ok(None) };
        if !next.header().is_empty() {
            break next;
        }
        work.line(next.text)?;
        after_blank = true;
        lines.next();
    };
    let goes_on = match next.text.first() {
        Some(b'+') => true,
        Some(b' ' | b'\\') => !after_blank,
        // After an empty line, two dashes are a rule or a MIME boundary.
        Some(b'-') if after_blank => !next.text.starts_with(b"--"),
        Some(b'-') => !matches!(next.header(), b"-- " | b"--") && !is_plain_header(lines),
        _ => false,
    };
    Ok(goes_on.then_some(next))
}

/// Tells whether the next lines are `--- old`, `+++ new` and a hunk header.
///
/// One empty line may follow each of the names (see [`parse`]).
pub(super) fn is_plain_header(mut lines: LineCursor<'_>) -> bool {
    lines.next().is_some_and(|line| names(&line, b"---"))
        && next_after_blank(&mut lines).is_some_and(|line| names(&line, b"+++"))
        && next_after_blank(&mut lines).is_some_and(|line| is_hunk(&line))
}

fn names(line: &Line<'_>, mark: &[u8]) -> bool {
    let rest = line.header().strip_prefix(mark);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "))
}

/// Takes the next line, or the one after it if that is empty.
pub(super) fn next_after_blank<'a>(lines: &mut LineCursor<'a>) -> Option<Line<'a>> {
    lines.next().and_then(|line| match line.text {
        b"" => lines.next(),
        _ => Some(line),
    })
}
