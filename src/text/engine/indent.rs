//! Rates the possible places of a run of changed lines by the indentation around its edges.
//!
//! The idea and the weights are those of Michael Haggerty's indent heuristic (git 2.11, 2016; the
//! weights were fitted to a corpus of hand-rated diffs,
//! <https://github.com/mhagger/diff-slider-tools>). A run is most readable when its edges are at
//! blank lines and at the least indented lines.

use std::cmp::Ordering;

use super::whitespace::is_space;
use crate::cancel_token::{PacedToken, Stopped};
use crate::lines::View;

/// Indentation is measured up to this many columns.
const WIDEST: i32 = 200;
/// At most this many blank lines in a row are skipped.
const MAX_BLANK: i32 = 20;
/// Bytes of one line that are read between two steps of the pace.
const PART: usize = 1 << 12;

/// The cost of beginning or ending a run before a line: lower is better.
///
/// The indentation is compared first, but the difference of the penalties can outweigh it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Badness {
    indent: i32,
    penalty: i32,
}

impl Badness {
    /// Rates a run of the lines from `start` to `end` (exclusive).
    pub(super) fn of_run(
        text: &View<'_>,
        start: usize,
        end: usize,
        pace: &mut PacedToken<'_>,
    ) -> Result<Self, Stopped> {
        let (start, end) = (Self::of_edge(text, start, pace)?, Self::of_edge(text, end, pace)?);
        Ok(Self { indent: start.indent + end.indent, penalty: start.penalty + end.penalty })
    }

    /// Compares the sums: a larger indentation weighs 60 points, however many columns it is larger.
    pub(super) fn weigh(self, other: Self) -> Ordering {
        let indent = match self.indent.cmp(&other.indent) {
            Ordering::Less => -60,
            Ordering::Equal => 0,
            Ordering::Greater => 60,
        };
        (indent + self.penalty - other.penalty).cmp(&0)
    }

    fn of_edge(text: &View<'_>, line: usize, pace: &mut PacedToken<'_>) -> Result<Self, Stopped> {
        let own = if line < text.len() { Some(indent(text.get(line), pace)?) } else { None };
        let (above, blank_above) = nearest((0..line).rev(), text, pace)?;
        let (below, blank_below) = nearest((line + 1).min(text.len())..text.len(), text, pace)?;
        // Counts the line itself if it is blank, and the end of the file as a blank line.
        let blank_below = match own {
            Some(Some(_)) => 0,
            Some(None) | None => blank_below + 1,
        };
        let blank = blank_above + blank_below;

        let mut penalty = 0;
        if above.is_none() && blank_above == 0 {
            penalty += 1; // the start of the file
        }
        if own.is_none() {
            penalty += 21; // the end of the file
        }
        penalty += 6 * blank_below - 30 * blank;

        let effective = own.flatten().or(below);
        if let (Some(indent), Some(above)) = (effective, above) {
            let opens = below.is_some_and(|below| below > indent);
            penalty += match (indent.cmp(&above), blank > 0) {
                (Ordering::Greater, true) => 10,
                (Ordering::Greater, false) => -4,
                (Ordering::Equal, _) => 0,
                (Ordering::Less, true) => 17,
                (Ordering::Less, false) if opens => 24,
                (Ordering::Less, false) => 23,
            };
        }
        Ok(Self { indent: effective.unwrap_or(-1), penalty })
    }
}

/// Returns the indentation of the nearest line that is not blank, and the number of blank lines
/// before it.
fn nearest(
    lines: impl Iterator<Item = usize>,
    text: &View<'_>,
    pace: &mut PacedToken<'_>,
) -> Result<(Option<i32>, i32), Stopped> {
    let mut blank = 0;
    for line in lines {
        if let Some(indent) = indent(text.get(line), pace)? {
            return Ok((Some(indent), blank));
        }
        blank += 1;
        if blank == MAX_BLANK {
            return Ok((Some(0), blank));
        }
    }
    Ok((None, blank))
}

/// Returns the column of the first byte that is not whitespace, or `None` for a blank line.
///
/// A TAB advances to the next multiple of eight; other whitespace has no width.
fn indent(line: &[u8], pace: &mut PacedToken<'_>) -> Result<Option<i32>, Stopped> {
    let mut column = 0;
    for part in line.chunks(PART) {
        for &byte in part {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 8 - column % 8,
                _ if is_space(byte) => {}
                _ => return Ok(Some(column)),
            }
            if column >= WIDEST {
                return Ok(Some(WIDEST));
            }
        }
        pace.spend(part.len() / 16)?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use crate::CancelToken;

    #[test]
    fn indentation_counts_columns_and_blank_lines_have_none() {
        let indent = |line: &[u8]| super::indent(line, &mut CancelToken::never().pace()).unwrap();
        assert_eq!(indent(b"x\n"), Some(0));
        assert_eq!(indent(b"   x"), Some(3));
        assert_eq!(indent(b"  \tx"), Some(8));
        assert_eq!(indent(b"\t\t x"), Some(17));
        assert_eq!(indent(b"\r x"), Some(1));
        assert_eq!(indent(b" \t\r\n"), None);
        assert_eq!(indent(b""), None);
        assert_eq!(indent(&[b' '; 300]), Some(200));
    }
}
