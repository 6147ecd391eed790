//! Applies hunks to a file. New lines end as the lines around them; the last newline stays as it
//! was, unless the patch changes it.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::place::FileText;
use super::{Hunk, HunkLine, Pass, State};
use crate::plan::line_ends::line_end;
use crate::plan::request::FileName;
use redline_base::budget::{Gather, Grow, Ordered};
use redline_base::error::{Error, Result};
use redline_text::lines::without_cr;
use redline_text::{CancelToken, LineKind};

/// The place of a hunk.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// The line, from 0.
    pub(super) place: usize,
    /// The pass in which it matched.
    pub(super) pass: Pass,
    /// Whether it is applied already.
    pub(super) state: State,
}

/// Returns the file with the hunks applied at their places.
pub(super) fn made(
    file: FileName<'_>,
    text: &FileText<'_>,
    hunks: &[Cow<'_, Hunk>],
    found: &[Found],
    max_bytes: u64,
    cancel: &CancelToken<'_>,
) -> Result<Vec<u8>> {
    let mut placed: Vec<(&Found, &Hunk)> =
        found.iter().zip(hunks.iter().map(|hunk| &**hunk)).gather();
    placed.order_by_key(|(found, _)| found.place);
    let mut pace = cancel.pace();
    let mut made = Made { text, out: Vec::new(), file, max_bytes };
    let mut done = 0;
    let mut last: Option<(usize, &Hunk)> = None;
    for (&Found { place, pass, .. }, hunk) in placed {
        if let Some((start, other)) = last.filter(|(start, _)| place < done || place == *start) {
            return Err(Error::invalid_args(format!(
                "the hunks at lines {} and {} of the patch overlap at line {} of {file}",
                other.line,
                hunk.line,
                start.max(place) + 1
            ))
            .with_hint("Make one hunk of both"));
        }
        for index in done..place {
            made.push(text.lines.get(index))?;
            pace.pass(text.lines.get(index).len())?;
        }
        done = made.hunk(hunk, place, pass)?;
        last = Some((place, hunk));
    }
    for index in done..text.lines.len() {
        made.push(text.lines.get(index))?;
        pace.pass(text.lines.get(index).len())?;
    }
    let said = last.and_then(|(_, hunk)| newline_said(hunk));
    made.end(said.unwrap_or(!text.lacks_newline));
    Ok(made.out)
}

/// Returns the error for a result that is longer than allowed.
pub(super) fn too_large(file: FileName<'_>, max_bytes: u64) -> Error {
    Error::too_large(format!("the patch would make {file} larger than {max_bytes} bytes"))
        .with_hint("The host sets the sandbox's max_file_bytes")
}

/// Returns whether the patch gives the file a last newline; `None` if it does not say.
fn newline_said(hunk: &Hunk) -> Option<bool> {
    if hunk.lines.iter().any(|line| line.kind.is_new() && line.lacks_newline) {
        return Some(false);
    }
    hunk.lines.iter().any(|line| line.lacks_newline).then_some(true)
}

struct Made<'a> {
    text: &'a FileText<'a>,
    out: Vec<u8>,
    file: FileName<'a>,
    max_bytes: u64,
}

impl Made<'_> {
    /// Writes the new lines of a hunk at a line of the file; returns the line after it.
    fn hunk(&mut self, hunk: &Hunk, place: usize, pass: Pass) -> Result<usize> {
        let has_cr = hunk.lines.iter().any(|line| line.text.ends_with('\r'));
        // If line ends were ignored, those of the patch have no meaning.
        let names_ends = has_cr && pass == Pass::Exact;
        let mut at = place;
        let mut removed: VecDeque<usize> = VecDeque::new();
        for HunkLine { kind, text, .. } in &hunk.lines {
            match kind {
                LineKind::Context => {
                    removed.clear();
                    self.push(self.text.lines.get(at))?;
                    at += 1;
                }
                LineKind::Removed => {
                    removed.add(at);
                    at += 1;
                }
                LineKind::Added => {
                    let neighbour = removed.pop_front();
                    let end = if names_ends { b"\n" } else { self.line_end(neighbour, at) };
                    let text =
                        if names_ends { text.as_bytes() } else { without_cr(text.as_bytes()) };
                    self.push(text)?;
                    self.push_end(end)?;
                }
            }
        }
        Ok(at)
    }

    /// Returns the line end of a new line: that of the line it replaces, of the one above, or of
    /// the one below.
    fn line_end(&self, replaced: Option<usize>, at: usize) -> &'static [u8] {
        let of = |index: usize| line_end(self.text.lines.get(index));
        replaced
            .and_then(of)
            .or_else(|| line_end(&self.out))
            .or_else(|| of(at))
            .or_else(|| of(at.checked_sub(2)?))
            .unwrap_or(b"\n")
    }

    /// Appends a line. The line before it may have been the last, without a newline.
    fn push(&mut self, line: &[u8]) -> Result<()> {
        if self.out.last().is_some_and(|last| *last != b'\n') {
            let above = self.text.lines.len().checked_sub(2);
            let end = above.and_then(|above| line_end(self.text.lines.get(above)));
            self.push_end(end.unwrap_or(b"\n"))?;
        }
        self.push_end(line)
    }

    fn push_end(&mut self, bytes: &[u8]) -> Result<()> {
        if (self.out.len() + bytes.len()) as u64 > self.max_bytes {
            return Err(too_large(self.file, self.max_bytes));
        }
        Ok(redline_base::budget::append(&mut self.out, bytes)?)
    }

    /// Adds the newline of the last line, or removes it.
    fn end(&mut self, has_newline: bool) {
        if has_newline && self.out.last().is_some_and(|last| *last != b'\n') {
            self.out.add(b'\n');
        } else if !has_newline && self.out.pop_if(|last| *last == b'\n').is_some() {
            self.out.pop_if(|last| *last == b'\r');
        }
    }
}
