//! Writes the hunks of a combined diff as git does.

use redline_base::budget::{Grow, GrowBy, filled};
use std::io::Write;

use super::{CombinedDiff, CombinedHunk, CombinedLine};
use crate::LineKind;
use crate::cancel_token::{PacedToken, Stopped, append};

/// The bytes of a line that can be part of a heading.
const HEADING_BYTES: usize = 40;

impl CombinedDiff<'_> {
    /// Returns an upper bound of the bytes of a written hunk.
    #[must_use]
    pub fn written_bytes(&self, hunk: &CombinedHunk) -> usize {
        const NUMBERS: usize = 24;
        let mut bytes = (self.parents + 1) * (NUMBERS + 2) + HEADING_BYTES;
        let line = |content: &[u8]| self.parents + content.len() + 2;
        for place in hunk.places.clone() {
            bytes += self.lost(place).iter().map(|lost| line(lost.content)).sum::<usize>();
            bytes += line(self.result.get(place));
        }
        bytes
    }

    /// Returns the heading of a hunk as git cuts it: without its last non-space character.
    #[must_use]
    pub fn heading(&self, hunk: &CombinedHunk) -> &[u8] {
        let Some(line) = hunk.heading.map(|line| self.result.get(line)) else { return &[] };
        let line = &line[..line.len().min(HEADING_BYTES)];
        let line = line.split(|&byte| matches!(byte, 0 | b'\n')).next().unwrap_or_default();
        let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r');
        let last = line.iter().rposition(|&byte| !is_space(byte)).unwrap_or(0);
        &line[..last]
    }
}

/// Appends a hunk: its header and its lines.
///
/// # Errors
/// [`Stopped`] if the query ended.
pub fn write_hunk(
    out: &mut Vec<u8>,
    diff: &CombinedDiff<'_>,
    hunk: &CombinedHunk,
    pace: &mut PacedToken<'_>,
) -> Result<(), Stopped> {
    let ats = filled(b'@', diff.parents() + 1);
    out.add_slice(&ats);
    // For a deletion at the end without context git prints a negative count as an unsigned 64-bit
    // number.
    let counted = |count: u32| u64::from(count).wrapping_sub(hunk.left_out.into());
    for &(first, count) in &hunk.parents {
        write!(out, " -{first},{}", counted(count)).expect("writing to memory does not fail");
    }
    let (first, count) = hunk.new;
    write!(out, " +{first},{} ", counted(count)).expect("writing to memory does not fail");
    out.add_slice(&ats);
    let heading = diff.heading(hunk);
    if !heading.is_empty() {
        out.add(b' ');
        out.add_slice(heading);
    }
    out.add(b'\n');
    diff.each_line(hunk, |line| {
        out.add_all(marks(&line, diff.parents()));
        append(out, shown(&line), pace)?;
        let is_cut = line.kind != LineKind::Removed && line.content.contains(&0);
        out.extend_from_slice(if is_cut && line.content.ends_with(b"\r") {
            b"\r\n"
        } else {
            b"\n"
        });
        Ok(())
    })
}

/// Returns the marks before a line, one for each parent.
pub fn marks(line: &CombinedLine<'_>, parents: usize) -> impl Iterator<Item = u8> {
    let (mark, marked) = (line.kind.sign(), line.marked);
    (0..parents).map(move |parent| if marked >> parent & 1 == 0 { b' ' } else { mark })
}

/// Returns the part of a line that git prints, up to a NUL; [`write_hunk`] adds a CR at its end.
fn shown<'a>(line: &CombinedLine<'a>) -> &'a [u8] {
    line.content.split(|&byte| byte == 0).next().unwrap_or_default()
}
